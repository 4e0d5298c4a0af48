// Checks batch.json as strictly as the trainer does.
import { VOCABULARY } from './model.mjs';
import {
  array,
  boolean,
  choice,
  hex64,
  integer,
  number,
  off,
  optional,
  optionalKey,
  record,
  Refusal,
  text,
} from './strict.mjs';

const token = integer(0, 2 ** 31 - 1);
const bit = integer(0, 1);
const ids = array(token);
const folder = record({ path: text, sha256: hex64 });
const version = (value, path) => void (value === 'base' || hex64(value, path));

const COMMON = {
  name: text,
  epochs: integer(1, 1000),
  oldLogprobs: choice('trainer', 'sampler'),
  isCap: optional(number(1e-6)),
  klCoefficient: number(0),
  entropyCoefficient: number(0),
};
const CLIP = { clipLow: number(0, 1), clipHigh: number(0), dualClip: optional(number(1)) };
const GROUP = { scaleRewards: choice('group', 'batch', 'none'), stdFloor: number(1e-12), ...CLIP };
const ALGORITHMS = {
  grpo: record({ ...COMMON, ...GROUP }),
  ppo: record({
    ...COMMON,
    ...CLIP,
    gamma: number(0, 1),
    lambda: number(0, 1),
    whitenAdvantages: boolean,
    valueClip: optional(number(1e-12)),
    valueCoefficient: number(0),
    valueLr: number(0, 1e3),
  }),
  sdpo: record({
    ...COMMON,
    distillation: choice('sampled-token', 'top-k', 'full-logits'),
    topK: optional(integer(1)),
    teacher: choice('base', 'ema'),
    emaRate: optional(number(0, 1)),
    ratioCap: optional(number(1e-6)),
    distillationWeight: number(0, 1),
    grpo: optional(record(GROUP)),
  }),
};

function algorithm(value, path) {
  if (!Object.hasOwn(ALGORITHMS, value?.name ?? ''))
    throw new Refusal('range', `${path}.name`, 'one of grpo, ppo, sdpo', value?.name);
  ALGORITHMS[value.name](value, path);
}

const lora = record({
  kind: choice('lora', 'full'),
  rank: integer(1),
  alpha: number(0),
  targets: array(text),
  dropout: off(0),
});
const adapter = (value, path) => (value?.kind === 'full' ? record({ kind: text }) : lora)(value, path);

const LIMITS = { maxTokens: integer(1), microBatch: integer(1) };
const CHECKPOINTING = { ...LIMITS, gradientCheckpointing: boolean };
const limits = (value, path) =>
  record(Object.hasOwn(value ?? {}, 'gradientCheckpointing') ? CHECKPOINTING : LIMITS)(value, path);

const Batch = record({
  version: (value, path) => {
    if (value !== 1) throw new Refusal('wrong-version', path, '1', value);
  },
  stepKey: hex64,
  base: folder,
  parent: optional(folder),
  reference: optionalKey(folder),
  adapter,
  algorithm,
  optimizer: record({
    name: choice('adamw'),
    lr: number(0, 1),
    betas: array(number(0, 0.999999999)),
    eps: number(1e-12),
    weightDecay: number(0, 1),
    maxGradNorm: number(1e-12),
  }),
  seed: integer(),
  tokenizer: record({ sha256: hex64, template: hex64 }),
  limits,
  rollouts: array(
    record({
      id: text,
      group: text,
      policyVersion: version,
      promptIds: ids,
      completionIds: ids,
      logprobs: array(number(undefined, 1e-4)),
      lossMask: array(bit),
      entropyMask: optionalKey(array(bit)),
      attentionMask: optional(array(bit)),
      reward: number(),
      outcome: text,
      feedback: optional(text),
      teacherPromptIds: optional(ids),
      temperature: off(1),
      topP: off(1),
      topK: off(0),
      minP: off(0),
      presencePenalty: off(0),
      frequencyPenalty: off(0),
      repetitionPenalty: off(1),
    }),
  ),
});

/** Throws Refusal if the batch does not fit this model. */
export function checkBatch(batch, model) {
  Batch(batch, '');
  if (batch.reference !== undefined && batch.parent === null)
    throw new Refusal('settings', 'parent', 'a checkpoint, since the policy began with one (reference)', 'null');
  if (batch.base.sha256 !== model.base.sha256)
    throw new Refusal('wrong-base', 'base.sha256', batch.base.sha256, model.base.sha256);
  for (const key of ['sha256', 'template'])
    if (batch.tokenizer[key] !== model.tokenizer[key])
      throw new Refusal('wrong-tokenizer', `tokenizer.${key}`, model.tokenizer[key], batch.tokenizer[key]);
  batch.rollouts.forEach((one, index) => checkRollout(batch, { one, path: `rollouts[${index}]` }));
  checkTogether(batch.rollouts);
  const { name, distillationWeight } = batch.algorithm;
  const taught = batch.rollouts.some((one) => one.teacherPromptIds !== null && one.lossMask.includes(1));
  if (name === 'sdpo' && distillationWeight === 1 && !taught)
    throw new Refusal('no-teacher', 'rollouts', 'a learnt rollout with teacherPromptIds', 'none');
}

function checkRollout({ parent, algorithm, limits }, { one, path }) {
  const length = one.completionIds.length;
  for (const key of ['logprobs', 'lossMask', 'entropyMask'])
    if (one[key] !== undefined && one[key].length !== length)
      throw new Refusal('length', `${path}.${key}`, `${length} items, one for each of completionIds`, one[key].length);
  const stray = (one.entropyMask ?? []).findIndex((counts, index) => counts > one.lossMask[index]);
  if (stray >= 0)
    throw new Refusal('mask', `${path}.entropyMask[${stray}]`, '0 for a token that is not learnt from', '1');
  for (const key of ['promptIds', 'teacherPromptIds'])
    if (one[key] !== null && one[key].length + length > limits.maxTokens)
      throw new Refusal('over-long', `${path}.${key}`, `at most ${limits.maxTokens} tokens`, one[key].length + length);
  for (const id of [...one.promptIds, ...one.completionIds])
    if (id >= VOCABULARY) throw new Refusal('vocabulary', path, `a token below ${VOCABULARY}`, id);
  const corrected = algorithm.isCap !== null || algorithm.oldLogprobs === 'sampler';
  const wanted = parent?.sha256 ?? 'base';
  if (!corrected && one.policyVersion !== wanted)
    throw new Refusal('off-policy', `${path}.policyVersion`, `${wanted}, the parent's`, one.policyVersion);
}

function checkTogether(rollouts) {
  const prompts = new Map();
  const seen = new Set();
  rollouts.forEach(({ id, group, promptIds }, index) => {
    const path = `rollouts[${index}]`;
    if (seen.has(id)) throw new Refusal('duplicate', `${path}.id`, 'each rollout once', `${id} twice`);
    seen.add(id);
    const prompt = promptIds.join();
    if ((prompts.get(group) ?? prompt) !== prompt)
      throw new Refusal('settings', `${path}.promptIds`, `the prompt of the others of group ${group}`, 'another');
    prompts.set(group, prompt);
  });
  if (!rollouts.some(({ lossMask }) => lossMask.includes(1)))
    throw new Refusal('empty', 'rollouts', 'a token to learn from (lossMask 1)', 'none');
}
