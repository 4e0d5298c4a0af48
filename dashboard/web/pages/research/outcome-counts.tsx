import type { FigureName } from '../../../api/figures.ts';
import type { Research } from '../../../api/research.ts';
import type { ShownVerdict, TrialStatus } from '../../../../domain/trial.ts';
import { describeAbort, isAbortShown } from '../../../../view/rows/early-abort.ts';
import { Figure } from '../../parts/figure.tsx';
import { Panel } from '../../parts/panel.tsx';
import { facetLabel } from '../trials/labels.ts';

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
            <Count key={end} word={facetLabel('status', end)} of={id} sql={`trials.${end}`} count={count} />
          ))}
        </dl>
        <dl>
          {ruled.map(([verdict, count]) => (
            <Count
              key={verdict}
              word={facetLabel('verdict', verdict)}
              of={id}
              sql={`verdicts.${verdict}`}
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

const Count = ({ word, of, sql, count }: { word: string; of: string; sql: FigureName; count: number }) => (
  <div data-none={count === 0}>
    <dt>{word}</dt>
    <dd>
      <Figure sql={sql} of={of} value={count}>
        {count.toLocaleString('en')}
      </Figure>
    </dd>
  </div>
);
