import { isMeasured } from '../../../domain/gate/gate.ts';
import type { Reward, Rewarded } from '../../../domain/search/reward.ts';
import { noReward, rewardOfFailure, rewardOfKnown } from '../../../domain/search/reward/endings.ts';
import { PROPOSAL_KINDS } from '../../../domain/trial.ts';
import type { Trial } from '../../../db/trial/proposal.ts';
import type { Outcome } from '../observer.ts';
import { readScored } from './read-scored.ts';
import type { Rewarding } from './rewarding.ts';

/** Stores the reward of an ended proposal, and with it that of each copy of it that ended before. */
export async function storeReward(of: Rewarding, ended: Pick<Outcome, 'trial' | 'apart'>): Promise<void> {
  const { trial, apart } = ended;
  const isCopy = trial.status === 'cached';
  const rewarded = apart !== null ? noReward(apart) : isCopy ? await knownBy(of, trial) : await ranBy(of, trial);
  await of.tx.trial.writeReward({ trialId: trial.id, rewarded });
  if (!isCopy) await of.tx.trial.rewardCopies({ trial, rewarded: asKnown(of.rule, { n: trial.n, rewarded }) });
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
  const first = await tx.trial.findTwin(trial);
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
