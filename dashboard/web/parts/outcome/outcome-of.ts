import type { Outcome } from '../../../api/outcomes.ts';
import type { ShownVerdict, TrialStatus } from '../../../../domain/trial.ts';

/** The outcome of a trial as dots and badges show it; null while the trial is under way. */
export function outcomeOf(trial: { status: TrialStatus | null; verdict: ShownVerdict }): Outcome | null {
  switch (trial.status) {
    case null:
      return null;
    case 'completed':
      return trial.verdict === 'none' ? 'scored' : trial.verdict;
    case 'aborted':
      return 'stopped-early';
    case 'cached':
      return 'cached';
    case 'crashed':
    case 'timed_out':
    case 'diverged':
    case 'rejected':
    case 'lost':
      return 'failed';
  }
}
