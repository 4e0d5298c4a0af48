import type { TrialStatus } from '../trial.ts';
import { type Adjustments, adjusted } from './gates/adjust.ts';
import { classOf, type DrawnSample, type LearningRollout } from './rollout.ts';
import type { HashedFolder, StepBatch, StepRollout, Tokenizer } from './step.ts';
import type { UpdatePlan } from './plan.ts';

export interface BatchInput {
  plan: UpdatePlan;
  rollouts: readonly LearningRollout[];
  /** Of the model that learns. */
  facts: { base: HashedFolder; tokenizer: Tokenizer };
  parent: HashedFolder | null;
  seed: number;
  adjustments: Adjustments;
}

/** A rollout that a batch leaves out, and why. */
export interface ExcludedRollout {
  id: string;
  reason: string;
}

/** A batch whose key is still to be made, from all that is in it. */
export type KeylessBatch = Omit<StepBatch, 'stepKey'>;

export type Assembled =
  | { ok: true; batch: KeylessBatch; leftOut: ExcludedRollout[] }
  | { ok: false; words: string; leftOut: ExcludedRollout[] };

/** The batch of an update, from what is stored; a group that lacks members stays. */
export function batchOf({ plan, rollouts, facts, parent, seed, adjustments }: BatchInput): Assembled {
  const read = rollouts.map(asked);
  const taken = read.flatMap((one) => (one.ok ? [one.rollout] : []));
  const leftOut = read.flatMap((one) => (one.ok ? [] : [{ id: one.id, reason: one.reason }]));
  const words = lacking(plan, taken, rollouts.length);
  if (words !== null) return { ok: false, words, leftOut };
  const { microBatch, maxTokens, adapter } = plan;
  const batch: KeylessBatch = {
    ...{ version: 1, base: facts.base, parent, adapter, seed, tokenizer: facts.tokenizer },
    ...adjusted(plan, adjustments),
    limits: { maxTokens, microBatch },
    rollouts: taken,
  };
  return { ok: true, batch, leftOut };
}

/** Why these rollouts teach nothing; null where they do. */
function lacking({ teacher, algorithm }: UpdatePlan, taken: readonly StepRollout[], of: number): string | null {
  if (taken.length === 0)
    return `nothing to learn from: expected rollouts with a sample and a reward, found none among ${of}`;
  const onlyTaught = teacher !== null && (algorithm.grpo ?? null) === null;
  if (onlyTaught && taken.every(({ teacherPromptIds }) => teacherPromptIds === null))
    return `nothing to learn from: expected a better answer or feedback for one of ${taken.length} rollouts, found neither`;
  return null;
}

type Asked = { ok: true; rollout: StepRollout } | ({ ok: false } & ExcludedRollout);

function asked(one: LearningRollout): Asked {
  const { id, sample, reward } = one;
  const leave = (reason: string): Asked => ({ ok: false, id, reason });
  if (sample === null) return leave('nothing was drawn for it');
  if (sample.completionIds.length === 0) return leave('its sample has no tokens');
  if (reward === null) return leave(`no reward: it ended as ${one.status}${one.failure ? ` (${one.failure})` : ''}`);
  return { ok: true, rollout: rolloutOf(one, { sample, reward }) };
}

function rolloutOf(one: LearningRollout, { sample, reward }: { sample: DrawnSample; reward: number }): StepRollout {
  const { id, group, status, teacherPromptIds } = one;
  const { policyVersion, promptIds, completionIds, logprobs } = sample;
  return {
    ...{ id, group, policyVersion, promptIds, completionIds, logprobs, reward, teacherPromptIds },
    lossMask: completionIds.map(() => 1),
    attentionMask: null,
    outcome: classOf(one) ?? status,
    // Without a teacher nothing reads it.
    feedback: teacherPromptIds === null ? null : one.feedback,
    ...{ temperature: 1, topP: 1, topK: 0, minP: 0 },
    ...{ presencePenalty: 0, frequencyPenalty: 0, repetitionPenalty: 1 },
  };
}

/** Ends that brought no new candidate. */
const NOT_NEW: readonly TrialStatus[] = ['cached', 'rejected', 'lost'];

/** A batch's own numbers, beside the trainer's: shares of its rollouts that brought a new candidate, and that completed. */
export function batchShares(
  rollouts: readonly Pick<LearningRollout, 'status' | 'first'>[],
): Record<'novelty' | 'success', number> | Record<string, never> {
  if (rollouts.length === 0) return {};
  const share = (counts: (one: (typeof rollouts)[number]) => boolean): number =>
    rollouts.filter(counts).length / rollouts.length;
  return {
    novelty: share(({ status }) => !NOT_NEW.includes(status)),
    success: share((one) => classOf(one) === 'completed'),
  };
}

/**
 * The text of which a step's key is the SHA-256: parent and base by their hashes, wherever they lie, every setting and every
 * rollout. Equal batches give equal text, whatever the order of their keys; a batch that differs in anything is another step.
 */
export function stepKeyContent({ base, parent, ...rest }: KeylessBatch): string {
  return JSON.stringify(inOrder({ ...rest, base: hashOf(base), parent: parent && hashOf(parent) }));
}

const hashOf = ({ sha256 }: HashedFolder): string => sha256;

/** A value of JSON with the keys of its objects in one order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, inOrder(inner)]));
}
