import { baseline, isMeasured } from '../../../domain/gate/gate.ts';
import {
  changedLines,
  nearestDistance,
  type Reward,
  type Rewarded,
  type RewardReading,
  type ScoredOutcome,
} from '../../../domain/search/reward.ts';
import { noReward, rewardOfFailure, rewardOfKnown } from '../../../domain/search/reward/ending-rewards.ts';
import { PROPOSAL_KINDS } from '../../../domain/trial.ts';
import type { Trial } from '../../../db/trial/proposal.ts';
import type { GateState } from '../../../domain/gate/types.ts';
import type { Outcome } from '../observer.ts';

/** A research with the gate's state after the outcome, and the rule of its rewards. */
interface Rewarding extends Pick<Outcome, 'tx' | 'research'> {
  /** State that includes the outcome being stored. */
  gate: GateState;
  rule: Reward;
}

/** Stores the reward of an ended proposal, and the rewards of copies of it that ended before. */
export async function storeReward(
  rewarding: Rewarding,
  { trial, incomparableReason }: Pick<Outcome, 'trial' | 'incomparableReason'>,
): Promise<void> {
  const { tx, rule } = rewarding;
  const rewarded = incomparableReason === null ? await rewardOfTrial(rewarding, trial) : noReward(incomparableReason);
  await tx.trial.writeReward({ trialId: trial.id, rewarded });
  if (!isCopy(trial)) await tx.trial.rewardCopies({ trial, rewarded: asKnown(rule, { n: trial.n, rewarded }) });
}

const isCopy = ({ status }: Trial): boolean => status === 'cached';

const rewardOfTrial = (rewarding: Rewarding, trial: Trial): Promise<Rewarded> =>
  isCopy(trial) ? rewardOfCopy(rewarding, trial) : rewardOfRun(rewarding, trial);

/** Newest candidates that a change is compared with: the length of the history in AutoResearch-RL. */
const HISTORY = 32;

/** A scored outcome with the facts that the reward reads; facts that it does not read are null. */
async function readScored(
  rewarding: Pick<Rewarding, 'tx' | 'research' | 'gate' | 'rule'>,
  { trial, value }: { trial: Trial; value: number },
): Promise<ScoredOutcome> {
  const { tx, gate, rule } = rewarding;
  const { sign } = gate;
  const has = (reading: RewardReading): boolean => rule.reads.includes(reading);
  const { parentId } = trial;
  return {
    sign,
    value,
    seconds: trial.seconds,
    baseline: has('baseline') ? baseline(gate).mean : null,
    parent: (has('parent') && parentId ? await tx.trial.findMeans({ trial, candidateId: parentId }) : null) ?? null,
    ranks: has('ranks') ? await tx.trial.findRanks({ trial, value, sign }) : null,
    distance: has('distance') ? await distanceOf(rewarding, trial) : null,
  };
}

/** Distance of a trial's change from the nearest of the changes that were tried before. */
async function distanceOf({ tx, research }: Pick<Rewarding, 'tx' | 'research'>, trial: Trial): Promise<number> {
  const { baselineCandidate } = research;
  const ids = await tx.trial.findTried({ trial, limit: HISTORY });
  const [original = {}, changed = {}, ...others] = await tx.trial.loadCandidates([
    baselineCandidate,
    trial.candidateId ?? baselineCandidate,
    ...ids,
  ]);
  return nearestDistance(
    changedLines(original, changed),
    others.map((other) => changedLines(original, other)),
  );
}

/** The reward of a trial that is no copy, whether or not it came to a run. */
async function rewardOfRun(rewarding: Rewarding, trial: Trial): Promise<Rewarded> {
  const { rule, gate } = rewarding;
  const { status, failure, value } = trial;
  if (status === null) throw new Error(`Expected trial ${trial.id} to have an outcome`);
  if (status !== 'completed' || value === null) return rewardOfFailure({ status, failure }, rule.endings);
  const waits = rule.reads.includes('baseline') || rule.reads.includes('parent');
  if (waits && !isMeasured(gate)) return noReward('waits for the baseline');
  return rule.of(await readScored(rewarding, { trial, value }));
}

/**
 * The reward of a copy: the stored reward of the original trial. A run of the baseline has no stored reward. Its means
 * are rewarded as if the copy had run to them, so that they are compared with trials that ended before the copy.
 */
async function rewardOfCopy(rewarding: Rewarding, trial: Trial): Promise<Rewarded> {
  const { tx, rule } = rewarding;
  const first = await tx.trial.findEarlierDuplicate(trial);
  if (!first) return noReward('the trial that it copies did not run to its own end');
  const { n, status, failure } = first;
  if (status === null) return noReward(`trial ${n}, the same candidate, is running`);
  if (PROPOSAL_KINDS.includes(first.kind)) return asKnown(rule, { n, rewarded: storedOf(first) });
  const means = await tx.trial.findMeans({ trial, candidateId: first.candidateId ?? '' });
  const { value, seconds } = means ?? { value: null, seconds: null };
  return asKnown(rule, { n, rewarded: await rewardOfRun(rewarding, { ...trial, status, failure, value, seconds }) });
}

const asKnown = ({ endings: { known } }: Reward, { n, rewarded }: { n: number; rewarded: Rewarded }): Rewarded =>
  rewardOfKnown(rewarded, { n, known });

const storedOf = ({ reward, rewardParts, rewardReason }: Trial): Rewarded => ({
  reward,
  parts: rewardParts ?? {},
  reason: rewardReason ?? 'no reason was stored',
});
