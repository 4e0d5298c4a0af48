import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type Evaluation, evaluationJson, renderEvaluation } from '../../../../cli/render/policy/evaluation.ts';
import { loadTask } from '../../../../tasks/load.ts';

const { task, hash } = await loadTask('tasks/lr-knob');
const EVALUATION: Evaluation = {
  id: 'eval/lr-knob/v3-0a1b2c3d4e5f',
  key: {
    policy: 'lr-knob',
    version: 3,
    weights: 'c'.repeat(64),
    taskHash: hash,
    samples: 64,
    seed: '8c1f4be09a7d2e35',
  },
  task,
  checkpoint: 'c'.repeat(64),
  summary: {
    ended: 64,
    lost: 0,
    readable: { n: 64, share: 62 / 64, low: 0.892, high: 0.996 },
    value: { n: 62, mean: 0.312, sd: 0.21, low: 0.259, high: 0.365 },
    reward: { n: 64, mean: 0.271, sd: 0.31, low: 0.194, high: 0.348 },
    baseline: { n: 3, mean: 0.004, sd: 0.02, low: -0.0457, high: 0.0537 },
    difference: { value: 0.308, low: 0.251, high: 0.365 },
    failures: { 'unreadable-answer': 2 },
    baselineRuns: { ended: 3, failed: 0 },
  },
};

test('the guide shows an evaluation as the command prints it', async () => {
  const guide = await readFile('docs/guides/learning/evaluation.md', 'utf8');
  expect(guide).toContain(`\n${renderEvaluation(EVALUATION).join('\n')}\n`);
});

test('an evaluation under way shows its samples so far, and no interval where there is none', () => {
  const value = { n: 1, mean: 0.3, sd: null, low: null, high: null };
  const none = { n: 0, mean: null, sd: null, low: null, high: null };
  const readable = { n: 0, share: null, low: 0, high: 1 };
  const summary = { ...EVALUATION.summary, ended: 3, lost: 2, readable, value, baseline: none, difference: null };
  const lines = renderEvaluation({ ...EVALUATION, summary: { ...summary, reward: null, failures: {} } });
  expect(lines).toEqual([
    'eval/lr-knob/v3-0a1b2c3d4e5f · version 3 of lr-knob on lr-knob, 3 of 64 samples',
    '  improvement  0.3000 (no interval) over 1 scored run',
    '  baseline     – (no interval) over 0 runs',
    '  readable     no answers yet',
    '  lost         2 samples, in no other number',
    '  seed root    8c1f4be09a7d2e35',
  ]);
});

test('the JSON names the version, the task version and all that identifies the evaluation', () => {
  expect(evaluationJson(EVALUATION)).toMatchObject({
    workflowId: 'eval/lr-knob/v3-0a1b2c3d4e5f',
    policy: { workflowId: 'lr-knob', version: 3, checkpoint: 'c'.repeat(64) },
    task: 'lr-knob',
    taskHash: hash,
    samples: 64,
    seed: '8c1f4be09a7d2e35',
    value: { mean: 0.312 },
  });
});
