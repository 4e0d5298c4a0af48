import type { FigureName } from '../../../api/figures.ts';
import type { Research } from '../../../api/research.ts';
import type { ShownVerdict, TrialStatus } from '../../../../domain/trial.ts';
import { describeAbort, isAbortShown } from '../../../../view/rows/early-abort.ts';
import { Figure } from '../../parts/figure.tsx';
import { Panel } from '../../parts/panel.tsx';
import { facetLabel } from '../trials/labels.ts';
import { formatInteger } from '../../parts/numbers.ts';

/** Panel with the numbers of ended trials by status and by verdict, and with the tally of early abort if it has one. */
export function OutcomeCountsPanel({ research: { status } }: { research: Research }) {
  const { workflowId: id, trials, verdicts, earlyAbort } = status;
  const ends = Object.entries(trials.byStatus) as [TrialStatus, number][];
  const ruled = Object.entries(verdicts) as [ShownVerdict, number][];
  return (
    <Panel title="Trials by their end" note="and by their verdict">
      <div className="tally small">
        <dl>
          {ends.map(([end, count]) => (
            <Count key={end} label={facetLabel('status', end)} scopeId={id} figure={`trials.${end}`} count={count} />
          ))}
        </dl>
        <dl>
          {ruled.map(([verdict, count]) => (
            <Count
              key={verdict}
              label={facetLabel('verdict', verdict)}
              scopeId={id}
              figure={`verdicts.${verdict}`}
              count={count}
            />
          ))}
        </dl>
      </div>
      {!isAbortShown(earlyAbort) ? null : (
        <p className="small abort">
          <strong>Early abort</strong>: {describeAbort(earlyAbort)}
        </p>
      )}
    </Panel>
  );
}

interface CountProps {
  label: string;
  scopeId: string;
  figure: FigureName;
  count: number;
}

const Count = ({ label, scopeId, figure, count }: CountProps) => (
  <div data-none={count === 0}>
    <dt>{label}</dt>
    <dd>
      <Figure figure={figure} scopeId={scopeId} value={count}>
        {formatInteger(count)}
      </Figure>
    </dd>
  </div>
);
