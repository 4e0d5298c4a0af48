import { noReward, rewardOfFailure, rewardOfKnown } from '../../../domain/search/reward/ending-rewards.ts';
import { rewardOfRuns } from '../../../domain/search/reward/candidate-reward.ts';
import type { Rewarded } from '../../../domain/search/reward.ts';
import { isCopy, PROPOSAL_KINDS } from '../../../domain/trial.ts';
import type { CandidateRun, Trial } from '../../../db/trial/proposal.ts';
import { type Rewarding, rewardOfValue } from './reward-of-value.ts';

type EndedRun = CandidateRun & { status: NonNullable<Trial['status']> };

/**
 * The reward of a sample by all ended runs of its candidate: the mean of the reward of their mean value and of the
 * rewards of failed runs. The reward of a copy is multiplied by `known`, and has no novelty. Parent and earlier
 * candidates are those of the candidate's first proposal that ran, or those of `anchor` if none ran.
 */
export async function rewardOfCandidate(rewarding: Rewarding, sample: Trial, anchor = sample): Promise<Rewarded> {
  const others = await rewarding.tx.trial.findOtherRuns(sample);
  const runs = [...others, ...(sample.status === 'cached' ? [] : [sample])]
    .filter(hasEnded)
    .toSorted((a, b) => a.n - b.n);
  const [first] = others;
  const taken = [...runs, sample].find(({ rewardParts }) => rewardParts?.['taken'] !== undefined);
  const n = (others.find(hasEnded) ?? first)?.n ?? sample.n;
  const rewarded = taken ? noReward(reasonOf(taken)) : await rewardOfAll(rewarding, { sample, anchor, runs });
  if (rewarded !== null)
    return isCopy(sample) ? rewardOfKnown(rewarded, { n, known: rewarding.rule.endings.known }) : rewarded;
  return noReward(
    first ? `trial ${first.n}, the same candidate, is running` : 'the trial that it copies did not run to its own end',
  );
}

const hasEnded = (run: CandidateRun): run is EndedRun => run.status !== null;
const reasonOf = ({ rewardReason }: CandidateRun): string => rewardReason ?? 'a person took it back';

/** The reward of a candidate by its ended runs, for a sample of it; null if none of them says anything. */
async function rewardOfAll(
  rewarding: Rewarding,
  { sample, anchor, runs }: { sample: Trial; anchor: Trial; runs: readonly EndedRun[] },
): Promise<Rewarded | null> {
  const values = runs.flatMap(({ status, value }) => (status === 'completed' && value !== null ? [value] : []));
  const failures = runs
    .filter(({ status }) => status !== 'completed')
    .map((run) => rewardOfFailure(run, rewarding.rule.endings))
    .filter(({ reward }) => reward !== null);
  const seconds = meanOf(runs.flatMap(({ status, ...run }) => (status === 'completed' ? (run.seconds ?? []) : [])));
  const value = meanOf(values);
  const rewardOfMean = async (mean: number): Promise<Rewarded> => {
    const first = runs.find(({ kind }) => PROPOSAL_KINDS.includes(kind));
    const trial = first ? await rewarding.tx.trial.loadTrial(first.id) : anchor;
    return rewardOfValue(rewarding, { trial: { ...trial, seconds }, value: mean, isNew: !isCopy(sample) });
  };
  const scored = value === null ? null : await rewardOfMean(value);
  return rewardOfRuns({ scored, values: values.length, failures });
}

/** Null without values. Each term is divided before the sum, so that the sum stays finite. */
const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value / values.length, 0);
