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

/** A research whose outcome was just ruled on, and the reward that it is given by. */
interface Rewarding extends Pick<Outcome, 'tx' | 'research'> {
  /** With the outcome at hand. */
  gate: GateState;
  rule: Reward;
}

/** Stores the reward of an ended proposal, and with it that of each copy of it that ended before. */
export async function storeReward(of: Rewarding, ended: Pick<Outcome, 'trial' | 'incomparableReason'>): Promise<void> {
  const { trial, incomparableReason: apart } = ended;
  const isCopy = trial.status === 'cached';
  const rewarded = apart !== null ? noReward(apart) : isCopy ? await knownBy(of, trial) : await ranBy(of, trial);
  await of.tx.trial.writeReward({ trialId: trial.id, rewarded });
  if (!isCopy) await of.tx.trial.rewardCopies({ trial, rewarded: asKnown(of.rule, { n: trial.n, rewarded }) });
}

/** Candidates that a change is compared with, the newest: as long as the history of AutoResearch-RL. */
const HISTORY = 32;

/** A scored outcome as its reward sees it; what that one does not read is left out. */
async function readScored(
  of: Pick<Rewarding, 'tx' | 'research' | 'gate' | 'rule'>,
  { trial, value }: { trial: Trial; value: number },
): Promise<ScoredOutcome> {
  const { tx, gate, rule } = of;
  const { sign } = gate;
  const has = (reading: RewardReading): boolean => rule.reads.includes(reading);
  const { parentId } = trial;
  return {
    ...{ sign, value, seconds: trial.seconds },
    baseline: has('baseline') ? baseline(gate).mean : null,
    parent: (has('parent') && parentId ? await tx.trial.findMeans({ trial, candidateId: parentId }) : null) ?? null,
    ranks: has('ranks') ? await tx.trial.findRanks({ trial, value, sign }) : null,
    distance: has('distance') ? await distanceOf(of, trial) : null,
  };
}

/** How far the trial's change is from those that were tried before. */
async function distanceOf({ tx, research }: Pick<Rewarding, 'tx' | 'research'>, trial: Trial): Promise<number> {
  const { baselineCandidate } = research;
  const ids = await tx.trial.findTried({ trial, limit: HISTORY });
  const [original = {}, own = {}, ...others] = await tx.trial.loadCandidates([
    ...[baselineCandidate, trial.candidateId ?? baselineCandidate],
    ...ids,
  ]);
  return nearestDistance(
    changedLines(original, own),
    others.map((other) => changedLines(original, other)),
  );
}

/** The reward of a trial that ran, or that nothing ran for. */
async function ranBy(of: Rewarding, trial: Trial): Promise<Rewarded> {
  const { rule, gate } = of;
  const { status, failure, value } = trial;
  if (status === null) throw new Error(`Expected trial ${trial.id} to have an outcome`);
  if (status !== 'completed' || value === null) return rewardOfFailure({ status, failure }, rule.endings);
  const waits = rule.reads.includes('baseline') || rule.reads.includes('parent');
  if (waits && !isMeasured(gate)) return noReward('waits for the baseline');
  return rule.of(await readScored(of, { trial, value }));
}

/**
 * The reward of a copy: the stored one of what it is a copy of. A run of the baseline has none: its means are rewarded as if the
 * copy had run to them, so that they are compared with what ended before the copy.
 */
async function knownBy(of: Rewarding, trial: Trial): Promise<Rewarded> {
  const { tx, rule } = of;
  const first = await tx.trial.findEarlierDuplicate(trial);
  if (!first) return noReward('what it is a copy of did not run to an end of its own');
  const { n, status, failure } = first;
  if (status === null) return noReward(`trial ${n}, the same candidate, is running`);
  if (PROPOSAL_KINDS.includes(first.kind)) return asKnown(rule, { n, rewarded: storedOf(first) });
  const means = await tx.trial.findMeans({ trial, candidateId: first.candidateId ?? '' });
  const { value, seconds } = means ?? { value: null, seconds: null };
  return asKnown(rule, { n, rewarded: await ranBy(of, { ...trial, status, failure, value, seconds }) });
}

const asKnown = ({ endings: { known } }: Reward, { n, rewarded }: { n: number; rewarded: Rewarded }): Rewarded =>
  rewardOfKnown(rewarded, { n, known });

const storedOf = ({ reward, rewardParts, rewardReason }: Trial): Rewarded => ({
  reward,
  parts: rewardParts ?? {},
  reason: rewardReason ?? 'none was stored',
});
