import type { Knob } from '../../knob/knob.ts';
import type { ResearchArgs } from '../../messages.ts';
import { parseLearntBase } from '../weights/learnt-base.ts';
import { evaluationId } from '../../research/check-id.ts';
import type { Maker } from '../../search/proposer/makers.ts';
import { type PolicySettings, stopForKnobs } from '../../search/proposer/policy.ts';
import type { Search } from '../../search/schema.ts';
import type { Hash } from '../../trial/trial-seeds.ts';

/** Identity of an evaluation: a repeated command with equal fields finds it, and never starts another one. */
export interface EvaluationKey {
  /** Research whose policy is evaluated. */
  policy: string;
  version: number;
  /** Hash of the version's checkpoint; of version 0 of a model: the model. A new research may reuse an id. */
  weights: string;
  /** Hash of the task version on which its samples run. */
  taskHash: string;
  samples: number;
  /** Root of its seeds. */
  seed: string;
}

/** Digits of the hash in an evaluation's id. */
const KEY_DIGITS = 12;

/** The id of an evaluation's research, such as `eval/lr-knob/v25-0a1b2c3d4e5f`. */
export function idOfEvaluation(key: EvaluationKey, sha256: Hash): string {
  const { policy, version, weights, taskHash, samples, seed } = key;
  const hash = sha256(JSON.stringify([weights, taskHash, samples, seed])).slice(0, KEY_DIGITS);
  return evaluationId({ policy, key: `v${version}-${hash}` });
}

/** The research whose policy is evaluated: its settings, and the member of its proposer that samples the policy. */
export interface EvaluatedPolicy {
  search: Pick<Search, 'reward' | 'context'>;
  learner: Maker;
  /** Knobs of the task on which it learnt. */
  knobs: readonly Knob[];
}

/** The task of an evaluation. `location`: a built-in name, a path, or the hash of a stored version. */
export interface EvaluationTask {
  location: string;
  knobs: readonly Knob[];
}

/** Stop texts of the samples. A research that 0.2 began has none, and its policy is evaluated without any. */
function stopOf({ learner, knobs }: EvaluatedPolicy, task: EvaluationTask): string[] {
  const { stop = [] } = learner.settings as Partial<PolicySettings>;
  return knobs.length === 1 ? stopForKnobs(stop, task.knobs) : [...stop];
}

/** Value of `search.proposer.base` for a version of a research's policy. Version 0 of a model is the model itself. */
function baseOf({ policy, version }: EvaluationKey, { settings: { base } }: Maker): unknown {
  const isModel = typeof base === 'string' && parseLearntBase(base) === null;
  return version === 0 && isModel ? base : `${policy}@${version}`;
}

const NO_LIMITS = { trials: null, hours: null, hoursWithoutClaim: null, slotSeconds: null, tokens: null, usd: null };

/**
 * Arguments of the research that evaluates a version. Every sample has the same prompt, from the unmodified version and
 * without earlier trials, so that samples are independent. No run is stopped early, since it would have no value.
 */
export function argsOfEvaluation(
  key: EvaluationKey,
  { task, evaluated }: { task: EvaluationTask; evaluated: EvaluatedPolicy },
): ResearchArgs {
  const { search, learner } = evaluated;
  return {
    task: task.location,
    check: 'evaluation',
    seed: key.seed,
    budget: { ...NO_LIMITS, proposals: key.samples, whenSpent: 'stop' },
    search: {
      proposer: {
        ...learner.settings,
        name: learner.name,
        base: baseOf(key, learner),
        stop: stopOf(evaluated, task),
      },
      update: 'none',
      parent: 'original',
      context: search.context,
      history: 0,
      abort: 'none',
      reward: search.reward,
    },
  };
}
