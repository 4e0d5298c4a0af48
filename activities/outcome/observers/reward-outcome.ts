import { isMeasured } from '../../../domain/gate/gate.ts';
import { rewardIn } from '../../../domain/search/reward/table.ts';
import { PROPOSAL_KINDS } from '../../../domain/trial.ts';
import type { Concluded, Outcome } from '../observer.ts';
import { findIncomparableReason } from '../find-incomparable-reason.ts';
import { storeReward } from '../reward/store-reward.ts';

/**
 * Stores what the outcome of a proposal is worth, by the reward of the research. Proposals that end while the baseline is
 * being measured have theirs with the outcome that completes it. Throws UnknownMethod for a reward of a newer version.
 */
export async function rewardOutcome(outcome: Outcome, { advance }: Concluded): Promise<Partial<Concluded>> {
  const { tx, research, trial, incomparableReason: apart } = outcome;
  const rule = rewardIn(research.settings?.search ?? {});
  if (rule === null) return {};
  const of = { tx, research, gate: advance?.state ?? research.gate, rule };
  if (PROPOSAL_KINDS.includes(trial.kind)) await storeReward(of, { trial, incomparableReason: apart });
  if (isMeasured(research.gate) || !isMeasured(of.gate)) return {};
  for (const held of await tx.trial.findUnrewarded(research))
    await storeReward(of, { trial: held, incomparableReason: await findIncomparableReason(tx, research, held) });
  return {};
}
