import { expect, test } from 'vitest';
import { describeLearnt, describeSample, type SampleView } from '../../../view/policy/sample.ts';

const SAMPLE = { policyVersion: 3, checkpoint: 'a'.repeat(64), group: 7, seq: 25 };
const learnt = (more: object = {}): SampleView => ({
  ...SAMPLE,
  update: { k: 4, state: 'done', skipped: null, reason: null, ...more },
});

test.each([
  ['sample 25, of group 7, drawn from version 3 (aaaaaaaaaaaa)', SAMPLE],
  ['sample 25, of group 7, drawn from the base model', { ...SAMPLE, policyVersion: 0, checkpoint: 'base' }],
  ['sample 25, of group 7, is to be drawn from version 3', { ...SAMPLE, checkpoint: null }],
])('%s', (text, sample) => {
  expect(describeSample({ ...sample, update: null })).toBe(text);
});

test.each([
  ['update 4, which made version 4, by a reward of 0.5000', learnt()],
  ['none: update 4 left it out: no feedback', learnt({ skipped: 'no feedback' })],
  ['none: update 4 made no version (refused): nan', learnt({ state: 'refused', reason: 'nan' })],
  ['none yet: update 4 is due', learnt({ state: 'due' })],
  ['none yet: the batch of update 4 is not full', learnt({ state: 'open' })],
])('learnt by %s', (text, sample) => {
  expect(describeLearnt(sample, 0.5)).toBe(text);
});

test('a sample without an update has no learner', () => {
  expect(describeLearnt({ ...SAMPLE, update: null }, 0.5)).toBeNull();
});
