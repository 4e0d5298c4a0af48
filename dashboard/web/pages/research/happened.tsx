import type { Research } from '../../../api/research.ts';
import { ForeignText } from '../../parts/text.tsx';
import { TrialLink } from '../../parts/trial-link.tsx';
import { momentText } from '../../parts/value.tsx';

/** Events, collapsed until somebody asks. */
export function Happened({ research: { status, events } }: { research: Research }) {
  return (
    <details className="panel">
      <summary>
        <h2>Events</h2> <span className="quiet small">the newest {events.length}</span>
      </summary>
      <ul className="events small">
        {events.map(({ at, level, n, text }, index) => (
          <li key={index} data-level={level}>
            <time dateTime={at} className="quiet">
              {momentText(at)}
            </time>
            {n === null ? <span /> : <TrialLink research={status.workflowId} n={n} />}
            <ForeignText text={text} line max={400} />
          </li>
        ))}
      </ul>
    </details>
  );
}
