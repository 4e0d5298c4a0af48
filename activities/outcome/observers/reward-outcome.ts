import { isMeasured } from '../../../domain/gate/gate.ts';
import { rewardIn } from '../../../domain/search/reward/table.ts';
import { PROPOSAL_KINDS } from '../../../domain/trial.ts';
import type { Conclusions, Outcome } from '../observer.ts';
import { findIncomparableReason } from '../find-incomparable-reason.ts';
import { storeReward } from '../reward/store-reward.ts';

/**
 * Stores the reward of a proposal's outcome, by the reward of the research. Proposals that end before the baseline is
 * measured are rewarded with the outcome that completes the baseline. Throws UnknownMethod for a reward of a newer
 * version.
 */
export async function rewardOutcome(outcome: Outcome, { advance }: Conclusions): Promise<Partial<Conclusions>> {
  const { tx, research, trial, incomparableReason } = outcome;
  const rule = rewardIn(research.settings?.search ?? {});
  if (rule === null) return {};
  const rewarding = { tx, research, gate: advance?.state ?? research.gate, rule };
  if (PROPOSAL_KINDS.includes(trial.kind)) await storeReward(rewarding, { trial, incomparableReason });
  if (isMeasured(research.gate) || !isMeasured(rewarding.gate)) return {};
  for (const held of await tx.trial.findUnrewarded(research)) {
    const reasonOfHeld = await findIncomparableReason(tx, research, held);
    await storeReward(rewarding, { trial: held, incomparableReason: reasonOfHeld });
  }
  return {};
}
