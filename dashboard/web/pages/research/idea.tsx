import type { Research } from '../../../api/research.ts';
import { Panel } from '../../parts/panel.tsx';
import { ForeignText } from '../../parts/text.tsx';
import { TrialLink } from '../../parts/trial-link.tsx';
import { Unified } from './unified.tsx';

/** The newest idea, and what it changes. */
export function LatestIdea({ research: { status, idea } }: { research: Research }) {
  return (
    <Panel
      title="Latest idea"
      className="idea"
      end={idea === null ? undefined : <TrialLink research={status.workflowId} n={idea.n} />}
    >
      {idea === null ? (
        <p className="quiet small">The first proposal comes after the unmodified version is measured.</p>
      ) : (
        <>
          {idea.hypothesis === null ? null : (
            <p>
              <ForeignText text={idea.hypothesis} max={500} />
            </p>
          )}
          <Unified diff={idea.diff} label={`diff of #${idea.n}`} />
          {idea.cut ? <p className="quiet small">More of it on the trial's page.</p> : null}
        </>
      )}
    </Panel>
  );
}
