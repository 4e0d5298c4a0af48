import type { FigureName } from '../../../api/figures.ts';
import type { Spend } from '../../../api/spend.ts';
import { formatCount, formatUsd } from '../../../../domain/text/format.ts';
import { Figure } from '../../parts/figure.tsx';

/** Table of the model calls of the research `scopeId`, or of all, by model. */
export function Models({ spend: { models }, scopeId }: { spend: Spend; scopeId: string | null }) {
  if (models.length === 0) return <p className="quiet">No model has been called.</p>;
  const figure = (model: string, { name, value, words }: { name: FigureName; value: number; words: string }) => (
    <td className="number">
      <Figure figure={name} scopeId={scopeId} model={model} value={value}>
        {words}
      </Figure>
    </td>
  );
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label="Table of models">
      <table className="table">
        <caption className="unseen">Calls by model</caption>
        <thead>
          <tr>
            <th scope="col">Model</th>
            {['Calls', 'Repeated', 'Tokens read', 'Tokens written', 'USD', 'Without a price'].map((name) => (
              <th key={name} scope="col" className="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {models.map(({ model, calls, repeated, tokensIn, tokensOut, usd, unpriced }) => (
            <tr key={model}>
              <th scope="row">{model}</th>
              {figure(model, { name: 'model.calls', value: calls, words: formatCount(calls) })}
              {figure(model, { name: 'model.repeated', value: repeated, words: formatCount(repeated) })}
              {figure(model, { name: 'model.tokensIn', value: tokensIn, words: formatCount(tokensIn) })}
              {figure(model, { name: 'model.tokensOut', value: tokensOut, words: formatCount(tokensOut) })}
              {figure(model, { name: 'model.usd', value: usd, words: formatUsd(usd) })}
              {figure(model, { name: 'model.unpriced', value: unpriced, words: formatCount(unpriced) })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
