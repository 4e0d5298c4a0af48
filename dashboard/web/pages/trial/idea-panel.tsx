import type { Trial } from '../../../api/trial.ts';
import { describeKind } from '../../../../domain/view/verdict.ts';
import { Panel } from '../../parts/panel.tsx';
import { ForeignText } from '../../parts/text.tsx';
import { ChangeBars } from './change-bars.tsx';

/** The idea of the trial, and what came of it. */
export function IdeaPanel({ trial, sd }: { trial: Trial; sd: number | null }) {
  const { hypothesis, metric, proposer } = trial;
  return (
    <Panel title="Idea" note={proposer === null ? undefined : <ForeignText text={`by ${proposer}`} line max={200} />}>
      <div className="stack">
        <p className={hypothesis === null ? 'quiet' : 'hypothesis'}>
          {hypothesis === null ? noIdea(trial) : <ForeignText text={hypothesis} />}
        </p>
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

function noIdea(trial: Trial): string {
  if (trial.kind === 'baseline') return 'It runs the unmodified version, to know its value and noise.';
  if (trial.ofTrial !== null) return `It runs the candidate of #${trial.ofTrial} again (${describeKind(trial)}).`;
  if (trial.kind === 'remeasure') return 'It runs a known candidate again.';
  return trial.status === null ? 'The proposer is still thinking.' : 'The proposer gave no idea in words.';
}
