import { z } from 'zod';
import type { FailureLabel, TrialStatus } from '../../trial.ts';
import type { EndingRewards, Rewarded } from '../reward.ts';

/** Settings that every reward rule has, with the rule's defaults. */
export const endingSettings = ({ failed, rejected, aborted }: Omit<EndingRewards, 'known'>) => ({
  failed: z.number().default(failed).describe('reward of a run that crashed, took too long or diverged'),
  rejected: z.number().default(rejected).describe('reward of a proposal that did not run'),
  aborted: z.number().default(aborted).describe('reward of a run that was stopped early, since it could not win'),
  known: z.number().min(0).max(1).default(1).describe('factor on the reward of a candidate that was known already'),
});

/** Failures that neither the proposer nor its proposal caused. */
const OTHER_CAUSES: ReadonlySet<FailureLabel> = new Set<FailureLabel>([
  'stopped-by-operator',
  'proposer-failed',
  'nothing-new',
  'evaluator-changed',
  'call-limit',
]);

export const noReward = (reason: string): Rewarded => ({ reward: null, parts: {}, reason });

/** True if a machine, a person or the platform ended a trial, so that its end says nothing about its proposal. */
export const hasOtherCause = ({ status, failure }: { status: TrialStatus; failure: FailureLabel | null }): boolean =>
  status === 'lost' || (failure !== null && OTHER_CAUSES.has(failure));

/** The reward of a trial without a value; none if a machine, a person or the platform ended the trial. */
export function rewardOfFailure(
  { status, failure }: { status: TrialStatus; failure: FailureLabel | null },
  { failed, rejected, aborted }: EndingRewards,
): Rewarded {
  const reason = failure ? `${status} (${failure})` : status;
  if (hasOtherCause({ status, failure })) return noReward(`${reason}: the proposal did not cause it`);
  const special: Partial<Record<TrialStatus, number>> = { rejected, aborted };
  return { reward: special[status] ?? failed, parts: {}, reason };
}

/** The reward of a proposal that repeats the candidate of trial `n`, from the reward of trial `n`. */
export function rewardOfKnown(first: Rewarded, { n, known }: { n: number; known: number }): Rewarded {
  if (first.reward === null) return noReward(`the same candidate as trial ${n}, which has no reward: ${first.reason}`);
  const reward = first.reward > 0 ? first.reward * known : first.reward;
  return { reward, parts: { ...first.parts, first: first.reward, known }, reason: `known from trial ${n}` };
}
