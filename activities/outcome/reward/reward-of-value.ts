import { baseline, isMeasured } from '../../../domain/gate/gate.ts';
import {
  changedLines,
  nearestDistance,
  type Reward,
  type Rewarded,
  type RewardReading,
  type ScoredOutcome,
} from '../../../domain/search/reward.ts';
import { noReward } from '../../../domain/search/reward/ending-rewards.ts';
import type { Trial } from '../../../db/trial/proposal.ts';
import type { GateState } from '../../../domain/gate/types.ts';
import type { Outcome } from '../observer.ts';

/** A research with the gate's state after the outcome, and the rule of its rewards. */
export interface Rewarding extends Pick<Outcome, 'tx' | 'research'> {
  /** State that includes the outcome being stored. */
  gate: GateState;
  rule: Reward;
}

/** A value of a trial's candidate; `isNew` is false for a copy, which has no distance from what was tried before. */
interface Valued {
  trial: Trial;
  value: number;
  isNew: boolean;
}

/** True if rewards of values wait until the baseline is measured. */
export const waitsForBaseline = ({ rule, gate }: Pick<Rewarding, 'rule' | 'gate'>): boolean =>
  (rule.reads.includes('baseline') || rule.reads.includes('parent')) && !isMeasured(gate);

/** The reward of a value by the rule. */
export async function rewardOfValue(rewarding: Rewarding, valued: Valued): Promise<Rewarded> {
  if (waitsForBaseline(rewarding)) return noReward('waits for the baseline');
  return rewarding.rule.of(await readScored(rewarding, valued));
}

/** Newest candidates that a change is compared with: the length of the history in AutoResearch-RL. */
const HISTORY = 32;

/** A scored outcome with the facts that the reward reads; facts that it does not read are null. */
async function readScored(rewarding: Rewarding, { trial, value, isNew }: Valued): Promise<ScoredOutcome> {
  const { tx, gate, rule } = rewarding;
  const { sign } = gate;
  const has = (reading: RewardReading): boolean => rule.reads.includes(reading);
  const { parentId } = trial;
  const distance = async (): Promise<number> => (isNew ? distanceOf(rewarding, trial) : 0);
  return {
    sign,
    value,
    seconds: trial.seconds,
    baseline: has('baseline') ? baseline(gate).mean : null,
    parent: (has('parent') && parentId ? await tx.trial.findMeans({ trial, candidateId: parentId }) : null) ?? null,
    ranks: has('ranks') ? await tx.trial.findRanks({ trial, value, sign }) : null,
    distance: has('distance') ? await distance() : null,
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
