import { describe, expect, it } from 'vitest';
import { batchOf, type BatchInput, type KeylessBatch, stepKeyContent } from '../../../domain/learning/batch.ts';
import { planOf } from '../search/update/plans.ts';
import { FACTS, PARENT, rollout } from './rollouts.ts';

const ROLLOUTS = [rollout({ id: 'r/1' }), rollout({ id: 'r/2' })];
const INPUT: BatchInput = {
  plan: planOf('grpo'),
  rollouts: ROLLOUTS,
  facts: FACTS,
  parent: PARENT,
  seed: 7,
  adjustments: {},
};
const batch = (change: Partial<BatchInput> = {}): KeylessBatch => {
  const made = batchOf({ ...INPUT, ...change });
  return made.ok ? made.batch : expect.fail(made.words);
};

describe('the content of a step key', () => {
  it('is the same text for the same batch, whatever the order of its keys and the paths of its folders', () => {
    const { rollouts, ...rest } = batch();
    const elsewhere = { ...FACTS, base: { ...FACTS.base, path: '/elsewhere' } };
    expect(stepKeyContent({ rollouts, ...rest })).toBe(stepKeyContent(batch()));
    expect(stepKeyContent(batch({ facts: elsewhere }))).toBe(stepKeyContent(batch()));
  });

  it.each<[string, Partial<BatchInput>]>([
    ['parent', { parent: null }],
    ['reference', { reference: PARENT }],
    ['base', { facts: { ...FACTS, base: PARENT } }],
    ['trial', { rollouts: [rollout({ id: 'r/1' }), rollout({ id: 'r/3' })] }],
    ['order of trials', { rollouts: ROLLOUTS.toReversed() }],
    ['reward', { rollouts: [rollout({ id: 'r/1', reward: 0.25 }), rollout({ id: 'r/2' })] }],
    ['setting', { plan: planOf({ name: 'grpo', lr: 1e-3 }) }],
    ['adjustment', { adjustments: { lr: 1e-4 } }],
  ])('differs for another %s', (_, change) => {
    expect(stepKeyContent(batch(change))).not.toBe(stepKeyContent(batch()));
  });

  it('is the same for a setting and for an equal adjustment of a gate', () => {
    const adjusted = batch({ adjustments: { lr: 1e-3 } });
    expect(stepKeyContent(adjusted)).toBe(stepKeyContent(batch({ plan: planOf({ name: 'grpo', lr: 1e-3 }) })));
  });
});
