import type { TrialStatus } from '../trial.ts';

/** Classes of a trial's end that a teacher distinguishes. */
export const OUTCOME_CLASSES = ['completed', 'failed', 'rejected', 'aborted'] as const;
export type OutcomeClass = (typeof OUTCOME_CLASSES)[number];

/** The class of a status; null if the outcome says nothing about the proposal, or belongs to another trial. */
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
