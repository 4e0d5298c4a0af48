import type { Trial } from '../../../api/trials/trial.ts';
import { Panel } from '../../parts/panel.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { useAddress } from '../../router.ts';
import { trialHref } from './list-links.ts';
import { ChangeBars } from './change-bars.tsx';

/** Panel with the trial's idea, and with its expected and measured change. */
export function IdeaPanel({ trial, sd }: { trial: Trial; sd: number | null }) {
  const { hypothesis, metric, proposer } = trial;
  return (
    <Panel title="Idea" note={proposer === null ? undefined : <UntrustedText text={`by ${proposer}`} line max={200} />}>
      <div className="stack">
        {hypothesis === null ? (
          <p className="quiet">
            <NoIdea trial={trial} />
          </p>
        ) : (
          <p className="hypothesis">
            <UntrustedText text={hypothesis} />
          </p>
        )}
        <ChangeBars trial={trial} sd={sd} />
        {trial.expectedDelta === null && trial.gotDelta === null ? null : (
          <p className="quiet small">
            Change of {metric.name} against its parent; {metric.direction === 'minimize' ? 'lower' : 'higher'} is better
            {sd === null ? '.' : ', and one run alone varies by its sd.'}
          </p>
        )}
      </div>
    </Panel>
  );
}

/** Reason why a trial has no idea. A run of a known candidate has a link to the trial with the idea. */
function NoIdea({ trial: { kind, ofTrial, research, status } }: { trial: Trial }) {
  const { params } = useAddress();
  if (kind === 'baseline') return 'It runs the unmodified version, to measure its value and noise.';
  if (kind === 'ablation') return 'It runs a claim, whole or without one of its edits, for an ablation.';
  if (ofTrial !== null)
    return (
      <>
        It runs the candidate of <a href={trialHref(research, ofTrial, params)}>#{ofTrial}</a> again.
      </>
    );
  if (kind === 'remeasure') return 'It runs a known candidate again.';
  return status === null ? 'The proposer has not answered yet.' : 'The proposer stated no idea.';
}
