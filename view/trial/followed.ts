import { hasEnded, isSettled, type Followed } from '../../domain/mcp/followed.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { describeEnd, describeScore } from './verdict.ts';

/** Describes the state of an idea's trial, as sentences for an agent. `unit`: the unit of the metric. */
export function describeFollowed(followed: Followed, unit?: string | null): string {
  const { trial, research } = followed;
  const about = describeResearch(followed);
  if (trial === null) return `The idea waits for its trial.${about}`;
  const name = `Trial ${research.id}/${trial.n}`;
  if (trial.status === null) return `${name} is under way: ${trial.now ?? 'it is admitted'}.${about}`;
  const score = trial.value === null ? '' : `, ${describeScore(trial, unit)}`;
  const reason = trial.reason === null ? '' : ` (${oneLine(trial.reason)})`;
  const end = describeEnd({ status: trial.status, verdict: trial.verdict ?? 'none', failure: trial.failure });
  if (isSettled(followed, 'verdict')) return `${name} ended: ${end}${score}${reason}.`;
  const waits =
    trial.verdict === 'confirm'
      ? 'it looks better, and more runs decide whether the gain is more than luck'
      : 'it has no verdict yet; until the baseline is measured, results are held';
  return `${name} has run${score}: ${waits}${reason}.${about}`;
}

/** Reason why nothing happens now, as a further sentence; empty if the research runs. */
function describeResearch(followed: Followed): string {
  const { id, phase, reason } = followed.research;
  if (phase === 'running') return '';
  const why = reason === null ? '' : `: ${oneLine(reason)}`;
  const next = hasEnded(followed) ? ` Nothing more happens until it is started again.` : '';
  return ` The research ${id} is ${phase}${why}.${next}`;
}
