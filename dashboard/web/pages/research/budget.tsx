import type { FigureName } from '../../../api/figures.ts';
import type { Research } from '../../../api/research.ts';
import { formatCount, formatSeconds, formatUsd, percent } from '../../../../domain/text/format.ts';
import { Bar } from '../../parts/bar.tsx';
import { Figure } from '../../parts/figure.tsx';
import { Panel } from '../../parts/panel.tsx';

type Limit = Exclude<keyof Research['status']['budget'], 'whenSpent'>;

interface LimitLabel {
  label: string;
  format: (value: number) => string;
  /** Figure of the amount spent. */
  spentFigure: FigureName;
  /** Figure of the limit itself. */
  limitFigure: FigureName;
}

const LABELS: Record<Limit, LimitLabel> = {
  trials: { label: 'Trials', format: formatCount, spentFigure: 'budget.trials', limitFigure: 'limit.trials' },
  proposals: {
    label: 'Proposals',
    format: formatCount,
    spentFigure: 'budget.proposals',
    limitFigure: 'limit.proposals',
  },
  hours: {
    label: 'Time',
    format: (hours) => formatSeconds(hours * 3600),
    spentFigure: 'budget.hours',
    limitFigure: 'limit.hours',
  },
  hoursWithoutClaim: {
    label: 'No claim',
    format: (hours) => formatSeconds(hours * 3600),
    spentFigure: 'budget.hoursWithoutClaim',
    limitFigure: 'limit.hoursWithoutClaim',
  },
  slotSeconds: {
    label: 'Slots',
    format: formatSeconds,
    spentFigure: 'budget.slotSeconds',
    limitFigure: 'limit.slotSeconds',
  },
  tokens: { label: 'Tokens', format: formatCount, spentFigure: 'budget.tokens', limitFigure: 'limit.tokens' },
  usd: { label: 'Money', format: formatUsd, spentFigure: 'budget.usd', limitFigure: 'limit.usd' },
};

const LIMITS = Object.keys(LABELS) as Limit[];

/** Panel with the spend of each limit that is set. */
export function BudgetPanel({ research: { status, budgets } }: { research: Research }) {
  const { budget, workflowId: id } = status;
  const limited = LIMITS.filter((key) => budget[key].limit !== null);
  return (
    <Panel title="Budget" note={`when spent, the research ${budget.whenSpent === 'stop' ? 'stops' : 'waits'}`}>
      {limited.length === 0 ? <p className="quiet small">No limit is set.</p> : null}
      <dl className="budget">
        {limited.map((key) => (
          <Line key={key} id={id} limit={key} use={budget[key]} forecast={budgets.find(({ limit }) => limit === key)} />
        ))}
      </dl>
    </Panel>
  );
}

interface LineProps {
  id: string;
  limit: Limit;
  use: { spent: number; limit: number | null };
  forecast: Research['budgets'][number] | undefined;
}

function Line({ id, limit, use: { spent, limit: total }, forecast }: LineProps) {
  const { label, format, spentFigure, limitFigure } = LABELS[limit];
  const share = total === null || total === 0 ? null : spent / total;
  const atEnd = total === null || total === 0 ? null : (forecast?.atEnd ?? null);
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <Bar
          share={share}
          label={`${label}: share of the budget`}
          mark={atEnd === null || total === null ? null : atEnd / total}
        />
        <span>
          <Figure figure={spentFigure} scopeId={id} value={spent}>
            {format(spent)}
          </Figure>{' '}
          <span className="quiet">
            of{' '}
            <Figure figure={limitFigure} scopeId={id} value={total}>
              {total === null ? '–' : format(total)}
            </Figure>
            {share === null ? '' : ` · ${percent(share)}`}
          </span>
        </span>
        {forecast ? <span className="quiet">{forecastText(forecast, format)}</span> : null}
      </dd>
    </div>
  );
}

/** Time at which the limit is reached, in words. If another limit comes first, the amount spent at that time. */
function forecastText(
  { atEnd, of: total, words }: Research['budgets'][number],
  format: (value: number) => string,
): string {
  return atEnd === null || atEnd >= total ? words : `about ${format(atEnd)} by the time the first limit is reached`;
}
