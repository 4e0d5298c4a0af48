import type { TrialStatus } from '../trial.ts';

/** How a trial ended, as far as a teacher tells it apart. */
export const OUTCOME_CLASSES = ['completed', 'failed', 'rejected', 'aborted'] as const;
export type OutcomeClass = (typeof OUTCOME_CLASSES)[number];

/** The class of a status; null where the outcome says nothing of the proposal, or is another trial's. */
export function outcomeClassOf(status: TrialStatus): OutcomeClass | null {
  switch (status) {
    case 'completed':
    case 'rejected':
    case 'aborted':
      return status;
    case 'crashed':
    case 'timed_out':
    case 'diverged':
      return 'failed';
    case 'cached':
    case 'lost':
      return null;
  }
}
