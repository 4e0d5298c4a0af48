import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { findAnswerTokens } from '../../../domain/learning/answer-tokens.ts';
import { batchOf } from '../../../domain/learning/batch.ts';
import { type Fired, judgeUpdate, type Metrics } from '../../../domain/learning/gates/judge-update.ts';
import type { LearningRollout } from '../../../domain/learning/rollout.ts';
import type { HashedFolder } from '../../../domain/learning/step.ts';
import type { Knob } from '../../../domain/knob/knob.ts';
import { defaultStop } from '../../../domain/search/proposer/policy.ts';
import type { Sample } from '../../../infra/policy.ts';
import { planOf } from '../../domain/search/update/plans.ts';
import { checkpointOf, keyOf } from '../../support/policy/batch-of.ts';
import { openPolicy, type PolicyHome } from '../../support/policy/fake.ts';

const file = 'knobs.mjs';
const LR: Knob = { file, name: 'lr', type: 'float', range: [1e-4, 100], scale: 'log' };
const MOMENTUM: Knob = { file, name: 'momentum', type: 'float', range: [0, 0.99], scale: 'linear' };
const FILES = { [file]: 'export const lr = 0.5;\nexport const momentum = 0.1;\n' };
const PROMPT = { form: 'text', text: 'Choose.\n\nlr =', start: 'lr =' } as const;
/** Rate at which the fake's policy gives only one answer after a few updates. */
const FAST = 0.004;
const UPDATES = 16;
const SAMPLES = 16;

/** Learning of a policy whose answers have text behind them; the base names its answers. */
interface Learning {
  base: 'talks' | 'talks-two-knobs';
  lr: number;
  update?: object;
  /** Texts that end an answer; default: as for a research that begins. */
  stop?: string[];
}

let home: PolicyHome;
beforeAll(async () => {
  home = await openPolicy();
});
afterAll(() => home.close());

/** Runs updates; returns their metrics, and the gates that fired. */
async function learn({ base, lr, update = {}, stop }: Learning): Promise<{ metrics: Metrics[]; fired: Fired[] }> {
  const knobs = base === 'talks' ? [LR] : [LR, MOMENTUM];
  const settings = { name: 'grpo', tokens: 'answer', batch: SAMPLES, group: SAMPLES, entropyCoefficient: 0.001 };
  const plan = planOf({ ...settings, ...update, lr });
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const facts = await home.policy.facts(base, signal);
  const request = { base, prompt: PROMPT, maxTokens: 40, stop: stop ?? defaultStop({ answers: 'knobs' }, knobs) };
  const [metrics, fired]: [Metrics[], Fired[]] = [[], []];
  let parent: HashedFolder | null = null;
  for (let k = 0; k < UPDATES; k += 1) {
    const seeds = Array.from({ length: SAMPLES }, (_, index) => k * SAMPLES + index);
    const version: HashedFolder | null = parent;
    const samples = await Promise.all(
      seeds.map((seed) => home.policy.sample({ ...request, version, seed, deadlineSeconds: 120 }, signal)),
    );
    const rollouts = samples.map((sample, index) => rolloutOf(sample, `${base}/${index}`, knobs));
    const assembled = batchOf({ plan, rollouts, facts, parent, seed: k, adjustments: {} });
    if (!assembled.ok) throw new Error(assembled.words);
    const stepKey = keyOf(JSON.stringify([base, lr, update, stop, k]));
    const result = await home.policy.step({ ...assembled.batch, stepKey }, { base }, signal);
    parent = checkpointOf(home.policy, result);
    metrics.push(result.metrics);
    fired.push(...judgeUpdate(plan.gates, { history: metrics, values: { lr, entropyCoefficient: 0.001 } }).fired);
  }
  return { metrics, fired };
}

function rolloutOf(sample: Sample, id: string, knobs: readonly Knob[]): LearningRollout {
  const answerTokens = findAnswerTokens(sample, { prompt: PROMPT, knobs, files: FILES });
  const [value = Number.NaN] = sample.text.split('\n').map(Number);
  return {
    id,
    group: 'g',
    sample: { ...sample, prompt: PROMPT, answerTokens },
    status: 'completed',
    failure: null,
    reward: -Math.abs(Math.log10(value / 0.1)),
    first: null,
    isCopy: false,
    value,
    reason: null,
    teacherPromptIds: null,
    feedback: null,
  };
}

/** Consequences of the gates of entropy that fired. */
const consequencesOf = ({ fired }: { fired: readonly Fired[] }): Set<string> =>
  new Set(fired.filter(({ gate }) => gate.metric === 'entropy').map(({ gate }) => gate.then));

const { search } = parse(readFileSync('tasks/lr-knob/task.yaml', 'utf8')) as {
  search: { update: { gates: object[] } };
};
const OF_LR_KNOB = { gates: search.update.gates };

describe.each([
  ['with one knob', { base: 'talks' }],
  ['with two knobs', { base: 'talks-two-knobs' }],
  ['with the gates of lr-knob', { base: 'talks', update: OF_LR_KNOB }],
] as const)('a policy %s', (_, learning) => {
  test('that gives only one answer fires the gates of entropy, though text follows its answers', async () => {
    const { metrics, ...collapsed } = await learn({ ...learning, lr: FAST, stop: [] });
    expect(metrics.at(-1)?.['deadGroups']).toBe(1);
    expect(consequencesOf(collapsed)).toEqual(new Set(['adjust', 'halt']));
  });

  test('that gives many answers fires none', async () => {
    expect(consequencesOf(await learn({ ...learning, lr: 1e-9 }))).toEqual(new Set());
  });
});

test('the same collapse is hidden from the mean of all tokens, which a research of 0.2 has', async () => {
  const { metrics, ...collapsed } = await learn({ base: 'talks', lr: FAST, update: { tokens: 'all' }, stop: [] });
  expect(metrics.at(-1)?.['deadGroups']).toBe(1);
  expect(metrics.at(-1)?.['entropy']).toBeGreaterThan(1);
  expect(consequencesOf(collapsed)).toEqual(new Set());
});
