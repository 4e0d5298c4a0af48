import type { Research, Ruling } from '../../../api/research.ts';
import { formatSigned, formatValue } from '../../parts/numbers.ts';
import { OutcomeSign } from '../../parts/outcome/outcome.tsx';
import { Panel } from '../../parts/panel.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { TrialLink } from '../../parts/trial-link.tsx';
import { TimeAgo } from '../../parts/value.tsx';
import { hrefOf } from '../../router.ts';
import { outcomeOf } from '../../parts/outcome/outcome-of.ts';
import { trialEndLabel } from '../trials/labels.ts';

/** Panel with the newest verdicts and their reasons. */
export function VerdictFeed({ research: { status, rulings } }: { research: Research }) {
  const id = status.workflowId;
  return (
    <Panel title="Verdicts" end={<a href={hrefOf(['r', id, 'trials'])}>All trials</a>} className="feed">
      {rulings.length === 0 ? (
        <p className="quiet small">No proposal has been judged yet.</p>
      ) : (
        <ul className="rulings" tabIndex={0} aria-label="Newest verdicts">
          {rulings.map((ruling) => (
            <Line key={ruling.trialId} id={id} ruling={ruling} sd={status.baseline?.sd ?? null} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Line({ id, ruling, sd }: { id: string; ruling: Ruling; sd: number | null }) {
  const { n, failure, value, gain, hypothesis, reason, at } = ruling;
  return (
    <li>
      <p className="head">
        <OutcomeSign outcome={outcomeOf(ruling) ?? 'scored'} /> <TrialLink research={id} n={n} />{' '}
        <strong>{trialEndLabel(ruling)}</strong>
        {failure === null ? null : <span className="quiet">{failure}</span>}
        {value === null ? null : <span className="value">{formatValue(value, sd)}</span>}
        {gain === null ? null : (
          <span className="quiet" title="over the unmodified version">
            gain {formatSigned(gain, sd)}
          </span>
        )}
        <span className="quiet small ago">
          <TimeAgo at={at} />
        </span>
      </p>
      {hypothesis === null ? null : (
        <p className="idea-line">
          <UntrustedText text={hypothesis} line max={240} />
        </p>
      )}
      {reason === null ? null : (
        <p className="quiet small reason">
          <UntrustedText text={reason} line max={300} />
        </p>
      )}
    </li>
  );
}
