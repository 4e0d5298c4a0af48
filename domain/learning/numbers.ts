import type { TrialStatus } from '../trial.ts';
import { classOf, type LearningRollout } from './rollout.ts';

/** Ends that brought no new candidate. */
const NOT_NEW: readonly TrialStatus[] = ['cached', 'rejected', 'lost'];

/** A batch's own numbers, beside the trainer's: shares of its rollouts that brought a new candidate, and that completed. */
export function numbersOf(
  rollouts: readonly Pick<LearningRollout, 'status' | 'first'>[],
): Record<'novelty' | 'success', number> | Record<string, never> {
  if (rollouts.length === 0) return {};
  const share = (counts: (one: (typeof rollouts)[number]) => boolean): number =>
    rollouts.filter(counts).length / rollouts.length;
  return {
    novelty: share(({ status }) => !NOT_NEW.includes(status)),
    success: share((one) => classOf(one) === 'completed'),
  };
}
