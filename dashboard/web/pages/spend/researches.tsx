import type { FigureName } from '../../../api/figures.ts';
import type { Spend } from '../../../api/spend.ts';
import { formatCount, formatSeconds, formatUsd } from '../../../../domain/text/format.ts';
import { Figure } from '../../parts/figure.tsx';
import { hrefOf } from '../../router.ts';
import type { Unit } from './units.ts';

/** Table of the spend by research, the largest spend first. */
export function Researches({ spend: { researches }, unit }: { spend: Spend; unit: Unit }) {
  const rows = [...researches].sort((a, b) => b[unit.value] - a[unit.value]);
  const most = Math.max(...rows.map((row) => row[unit.value]), 0);
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label="Table of researches">
      <table className="table">
        <caption className="unseen">Spend by research</caption>
        <thead>
          <tr>
            <th scope="col">Research</th>
            <th scope="col">
              <span className="unseen">Share</span>
            </th>
            <th scope="col" className="number">
              USD
            </th>
            <th scope="col" className="number">
              Tokens
            </th>
            <th scope="col" className="number">
              On slots
            </th>
            <th scope="col" className="number">
              Trials
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id ?? ''}>
              <th scope="row">{row.id === null ? 'checks' : <a href={hrefOf(['r', row.id])}>{row.id}</a>}</th>
              <td className="spend-share">
                <span
                  className="spend-share-bar"
                  style={{ width: `${most > 0 ? (100 * row[unit.value]) / most : 0}%` }}
                />
              </td>
              <td className="number">
                <Amount figure="spend.usd" scopeId={row.id} value={row.usd}>
                  {formatUsd(row.usd)}
                </Amount>
              </td>
              <td className="number">
                <Amount figure="spend.tokens" scopeId={row.id} value={row.tokens}>
                  {formatCount(row.tokens)}
                </Amount>
              </td>
              <td className="number">
                <Amount figure="spend.slotSeconds" scopeId={row.id} value={row.slotSeconds}>
                  {formatSeconds(row.slotSeconds)}
                </Amount>
              </td>
              <td className="number">
                <Amount figure="spend.trials" scopeId={row.id} value={row.trials}>
                  {formatCount(row.trials)}
                </Amount>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface Amount {
  figure: FigureName;
  scopeId: string | null;
  value: number;
  children: string;
}

/** A number of a research with its SQL. The sum over task checks (`scopeId` null) has no SQL. */
const Amount = ({ scopeId, children, ...props }: Amount) =>
  scopeId === null ? (
    children
  ) : (
    <Figure scopeId={scopeId} {...props}>
      {children}
    </Figure>
  );
