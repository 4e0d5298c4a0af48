import type { Rewarded } from '../../../domain/search/reward.ts';
import { noReward, rewardOfFailure, rewardOfKnown } from '../../../domain/search/reward/ending-rewards.ts';
import { isCopy } from '../../../domain/trial.ts';
import type { Trial } from '../../../db/trial/proposal.ts';
import type { Outcome } from '../observer.ts';
import { rewardOfCandidate } from './reward-of-candidate.ts';
import { type Rewarding, rewardOfValue } from './reward-of-value.ts';

/**
 * Stores the reward of an ended proposal, and the rewards of copies of it that ended before. The rewards of a batch are
 * stored again when its update becomes due, and stay.
 */
export async function storeReward(
  rewarding: Rewarding,
  { trial, incomparableReason }: Pick<Outcome, 'trial' | 'incomparableReason'>,
): Promise<void> {
  const { tx } = rewarding;
  const rewarded = incomparableReason === null ? await rewardOfTrial(rewarding, trial) : noReward(incomparableReason);
  await tx.trial.writeReward({ trialIds: [trial.id], rewarded });
  if (trial.status === 'cached') return;
  const forCopies = incomparableReason === null ? await rewardOfCopies(rewarding, { trial, rewarded }) : rewarded;
  await tx.trial.rewardCopies({ trial, rewarded: forCopies });
}

/** A copy with a value gets the reward of its candidate; any other end has a reward of its own. */
async function rewardOfTrial(rewarding: Rewarding, trial: Trial): Promise<Rewarded> {
  if (trial.reusedFrom !== null) return noReward(`its value is that of ${trial.reusedFrom}, reused`);
  return isCopy(trial) && (trial.status === 'completed' || trial.status === 'cached')
    ? rewardOfCandidate(rewarding, trial)
    : rewardOfRun(rewarding, { trial, isNew: true });
}

/** The reward of a trial by its own run, or by its end without one. */
async function rewardOfRun(
  rewarding: Rewarding,
  { trial, isNew }: { trial: Trial; isNew: boolean },
): Promise<Rewarded> {
  const { status, failure, value } = trial;
  if (status === null) throw new Error(`Expected trial ${trial.id} to have an outcome`);
  if (status !== 'completed' || value === null) return rewardOfFailure({ status, failure }, rewarding.rule.endings);
  return rewardOfValue(rewarding, { trial, value, isNew });
}

/** The reward of copies that ended before this trial. Copies have no novelty. */
async function rewardOfCopies(
  rewarding: Rewarding,
  { trial, rewarded }: { trial: Trial; rewarded: Rewarded },
): Promise<Rewarded> {
  const { reads, endings } = rewarding.rule;
  if (isCopy(trial)) return rewarded;
  const first = reads.includes('distance') ? await rewardOfRun(rewarding, { trial, isNew: false }) : rewarded;
  return rewardOfKnown(first, { n: trial.n, known: endings.known });
}
