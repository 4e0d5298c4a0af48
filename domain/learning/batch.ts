import type { TrialStatus } from '../trial.ts';
import { type Adjustments, adjusted } from './gates/adjust.ts';
import { classOf, type DrawnSample, type LearningRollout } from './rollout.ts';
import type { HashedFolder, StepBatch, StepRollout, Tokenizer } from './step.ts';
import type { UpdatePlan } from './plan.ts';

export interface BatchInput {
  plan: UpdatePlan;
  rollouts: readonly LearningRollout[];
  /** The base model that learns, and its tokenizer. */
  facts: { base: HashedFolder; tokenizer: Tokenizer };
  parent: HashedFolder | null;
  /** Checkpoint with which the research began; null or absent: it began with the base model. */
  reference?: HashedFolder | null;
  seed: number;
  adjustments: Adjustments;
}

/** A rollout that a batch leaves out, and why. */
export interface ExcludedRollout {
  id: string;
  reason: string;
}

/** A batch without its key: the hash of the batch's content becomes the key. */
export type KeylessBatch = Omit<StepBatch, 'stepKey'>;

export type Assembled =
  | { ok: true; batch: KeylessBatch; leftOut: ExcludedRollout[] }
  | { ok: false; words: string; leftOut: ExcludedRollout[] };

/** Assembles the batch of an update from stored rollouts. A group with missing members stays in the batch. */
export function batchOf({ plan, rollouts, facts, parent, reference = null, seed, adjustments }: BatchInput): Assembled {
  const checked = rollouts.map((rollout) => checkRollout(rollout, plan));
  const taken = checked.flatMap((result) => (result.ok ? [result.rollout] : []));
  const leftOut = checked.flatMap((result) => (result.ok ? [] : [{ id: result.id, reason: result.reason }]));
  const words = lacking(plan, taken, rollouts.length);
  if (words !== null) return { ok: false, words, leftOut };
  const { microBatch, maxTokens, gradientCheckpointing, adapter } = plan;
  const batch: KeylessBatch = {
    version: 1,
    base: facts.base,
    parent,
    ...(reference === null ? {} : { reference }),
    adapter,
    seed,
    tokenizer: facts.tokenizer,
    ...adjusted(plan, adjustments),
    limits: { maxTokens, microBatch, ...(gradientCheckpointing ? { gradientCheckpointing } : {}) },
    rollouts: taken,
  };
  return { ok: true, batch, leftOut };
}

/** The reason why these rollouts teach nothing; null if they teach something. `total` counts the excluded ones, too. */
function lacking({ teacher, algorithm }: UpdatePlan, taken: readonly StepRollout[], total: number): string | null {
  if (taken.length === 0)
    return `nothing to learn from: expected rollouts with a sample and a reward, found none among ${total}`;
  const onlyTaught = teacher !== null && (algorithm.grpo ?? null) === null;
  if (onlyTaught && taken.every(({ teacherPromptIds }) => teacherPromptIds === null))
    return (
      'nothing to learn from: expected a better answer or feedback for ' +
      `one of ${taken.length} rollouts, found neither`
    );
  return null;
}

type Checked = { ok: true; rollout: StepRollout } | ({ ok: false } & ExcludedRollout);

function checkRollout(stored: LearningRollout, plan: Pick<UpdatePlan, 'tokens'>): Checked {
  const { id, sample, reward, status, failure } = stored;
  const exclude = (reason: string): Checked => ({ ok: false, id, reason });
  if (sample === null) return exclude('no sample was drawn for it');
  if (sample.completionIds.length === 0) return exclude('its sample has no tokens');
  if (reward === null) return exclude(`no reward: it ended as ${status}${failure ? ` (${failure})` : ''}`);
  return { ok: true, rollout: { ...rolloutOf(stored, { sample, reward }), ...masksOf(sample, plan) } };
}

/**
 * Masks of a sample. Text behind an answer in knobs changes no outcome, so nothing is learnt from it. The token that
 * ends the answer is learnt, but its many forms say nothing about the choice, so its entropy does not count.
 */
function masksOf(
  { completionIds, answerTokens }: DrawnSample,
  { tokens }: Pick<UpdatePlan, 'tokens'>,
): Pick<StepRollout, 'lossMask' | 'entropyMask'> {
  const maskOf = (count: number) => completionIds.map((_, index): 0 | 1 => (index < count ? 1 : 0));
  if (tokens === 'all' || answerTokens === null) return { lossMask: maskOf(completionIds.length) };
  return { lossMask: maskOf(answerTokens.answer), entropyMask: maskOf(answerTokens.value) };
}

function rolloutOf(
  stored: LearningRollout,
  { sample, reward }: { sample: DrawnSample; reward: number },
): Omit<StepRollout, 'lossMask' | 'entropyMask'> {
  const { id, group, status, teacherPromptIds } = stored;
  const { policyVersion, promptIds, completionIds, logprobs } = sample;
  return {
    id,
    group,
    policyVersion,
    promptIds,
    completionIds,
    logprobs,
    reward,
    teacherPromptIds,
    attentionMask: null,
    outcome: classOf(stored) ?? status,
    // Only a teacher reads the feedback.
    feedback: teacherPromptIds === null ? null : stored.feedback,
    temperature: 1,
    topP: 1,
    topK: 0,
    minP: 0,
    presencePenalty: 0,
    frequencyPenalty: 0,
    repetitionPenalty: 1,
  };
}

/** Statuses of trials that brought no candidate, or none that counts. */
const NOT_NEW: readonly TrialStatus[] = ['rejected', 'lost'];

/**
 * Metrics of a batch that the trainer does not compute: the shares, 0 to 1, of rollouts that brought a new candidate
 * (`novelty`) and that completed (`success`). Empty for a batch without rollouts.
 */
export function batchShares(
  rollouts: readonly Pick<LearningRollout, 'status' | 'first' | 'isCopy'>[],
): Record<'novelty' | 'success', number> | Record<string, never> {
  if (rollouts.length === 0) return {};
  const share = (counts: (rollout: (typeof rollouts)[number]) => boolean): number =>
    rollouts.filter(counts).length / rollouts.length;
  return {
    novelty: share(({ status, isCopy }) => !isCopy && !NOT_NEW.includes(status)),
    success: share((rollout) => classOf(rollout) === 'completed'),
  };
}

/**
 * The text whose SHA-256 is the key of a step: the hashes of base, parent and reference, every setting and every
 * rollout. The text leaves out the paths of the folders and sorts all keys, so that equal batches give equal text. Any
 * other difference gives another step.
 */
export function stepKeyContent({ base, parent, reference, ...rest }: KeylessBatch): string {
  const folders = { base: hashOf(base), parent: parent && hashOf(parent) };
  // Absent without a checkpoint, so that steps of older versions keep their keys.
  const referenceHash = reference === undefined ? {} : { reference: hashOf(reference) };
  return JSON.stringify(inOrder({ ...rest, ...folders, ...referenceHash }));
}

const hashOf = ({ sha256 }: HashedFolder): string => sha256;

/** A JSON value with the keys of its objects sorted. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, inOrder(inner)]));
}
