import { hasOtherCause } from '../../../domain/search/reward/ending-rewards.ts';
import { isCopy } from '../../../domain/trial.ts';
import type { Trial } from '../../../db/trial/proposal.ts';
import { findIncomparableReason } from '../find-incomparable-reason.ts';
import { rewardOfCandidate } from './reward-of-candidate.ts';
import type { Rewarding } from './reward-of-value.ts';

/**
 * Fixes the rewards of an update's batch: all samples of one candidate get the same one, from all of its runs so far.
 * Call it in the transaction that makes the update due.
 */
export async function fixRewards(rewarding: Rewarding, k: number): Promise<void> {
  const { tx, research } = rewarding;
  const batch = await tx.learning.loadBatchTrials({ researchId: research.id, k });
  for (const samples of (await byCandidate(rewarding, batch)).values()) {
    const [anchor] = samples;
    for (const alike of [samples.filter((sample) => !isCopy(sample)), samples.filter(isCopy)]) {
      const [sample] = alike;
      if (!sample || !anchor) continue;
      const rewarded = await rewardOfCandidate(rewarding, sample, anchor);
      await tx.trial.writeReward({ trialIds: alike.map(({ id }) => id), rewarded });
    }
  }
}

/** Samples by candidate, without those that have no candidate, or no reward whatever its runs gave. */
async function byCandidate(
  { tx, research }: Pick<Rewarding, 'tx' | 'research'>,
  batch: readonly Trial[],
): Promise<Map<string, Trial[]>> {
  const groups = new Map<string, Trial[]>();
  for (const sample of batch) {
    const { candidateId, status, failure, rewardParts } = sample;
    if (candidateId === null || status === null || hasOtherCause({ status, failure })) continue;
    if (rewardParts?.['taken'] !== undefined) continue;
    if ((await findIncomparableReason(tx, research, sample)) !== null) continue;
    groups.set(candidateId, [...(groups.get(candidateId) ?? []), sample]);
  }
  return groups;
}
