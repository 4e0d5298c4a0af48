import { classOf, type LearningRollout } from './rollout.ts';

/** A batch's own numbers, beside the trainer's: shares of its rollouts that brought a new candidate, and that completed. */
export function numbersOf(
  rollouts: readonly Pick<LearningRollout, 'status' | 'first'>[],
): Record<'novelty' | 'success', number> | Record<string, never> {
  if (rollouts.length === 0) return {};
  const share = (counts: (one: (typeof rollouts)[number]) => boolean): number =>
    rollouts.filter(counts).length / rollouts.length;
  return {
    novelty: share(({ status }) => status !== 'cached'),
    success: share((one) => classOf(one) === 'completed'),
  };
}
