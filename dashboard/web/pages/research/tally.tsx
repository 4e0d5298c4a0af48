import type { FigureName } from '../../../api/figures.ts';
import type { Research } from '../../../api/research.ts';
import type { ToldVerdict, TrialStatus } from '../../../../domain/trial.ts';
import { describeAbort, isTold } from '../../../../view/rows/early-abort.ts';
import { Figure } from '../../parts/figure.tsx';
import { Panel } from '../../parts/panel.tsx';
import { facetWord } from '../trials/words.ts';

/** Ended trials by how they ended and by their verdict, and the tally of early abort where it has judged a run. */
export function Tally({ research: { status } }: { research: Research }) {
  const { workflowId: id, trials, verdicts, earlyAbort } = status;
  const ends = Object.entries(trials.byStatus) as [TrialStatus, number][];
  const ruled = Object.entries(verdicts) as [ToldVerdict, number][];
  return (
    <Panel title="Trials by their end" note="and by their verdict">
      <div className="tally small">
        <dl>
          {ends.map(([end, count]) => (
            <Count key={end} word={facetWord('status', end)} of={id} sql={`trials.${end}`} count={count} />
          ))}
        </dl>
        <dl>
          {ruled.map(([verdict, count]) => (
            <Count
              key={verdict}
              word={facetWord('verdict', verdict)}
              of={id}
              sql={`verdicts.${verdict}`}
              count={count}
            />
          ))}
        </dl>
      </div>
      {!isTold(earlyAbort) ? null : (
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
