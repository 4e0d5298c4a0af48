import { FIGURES, type FigureName } from '../../../api/figures.ts';
import type { Spend } from '../../../api/spend.ts';
import { Figure } from '../../parts/figure.tsx';
import { hrefOf } from '../../router.ts';
import { limitTexts } from './units.ts';

/** Share of a limit from which on its bar has a warning colour. */
const NEAR = 0.8;

/** List of the limits, each as a bar with its spend and its forecast. */
export function Budgets({ spend: { budgets } }: { spend: Spend }) {
  if (budgets.length === 0) return <p className="quiet">No research has a limit: each goes on until you stop it.</p>;
  return (
    <ul className="stack">
      {budgets.map(({ research, limit, spent, of: total, words }) => {
        const share = total > 0 ? spent / total : 1;
        const texts = limitTexts(limit, spent, total);
        return (
          <li key={`${research} ${limit}`} className="limit">
            <p className="row small">
              <a href={hrefOf(['r', research])}>{research}</a>
              <span className="limit-amount">
                <Amount name={`budget.${limit}`} scopeId={research} value={spent} words={texts.spent} /> of{' '}
                <Amount name={`limit.${limit}`} scopeId={research} value={total} words={texts.total} />
              </span>
            </p>
            <meter
              min={0}
              max={1}
              high={NEAR}
              optimum={0}
              value={Math.min(1, share)}
              aria-label={`${research}: spent of the limit of ${limit}`}
            />
            <p className="small quiet">{words}</p>
          </li>
        );
      })}
    </ul>
  );
}

interface AmountProps {
  name: string;
  scopeId: string;
  value: number;
  words: string;
}

function Amount({ name, scopeId, value, words }: AmountProps) {
  return isFigure(name) ? (
    <Figure figure={name} scopeId={scopeId} value={value}>
      {words}
    </Figure>
  ) : (
    <span>{words}</span>
  );
}

const isFigure = (name: string): name is FigureName => name in FIGURES;
