import { describe, expect, it } from 'vitest';
import { stepKeyContent, type StepKeyInput } from '../../../domain/learning/step-key.ts';
import { planOf } from '../search/update/plans.ts';
import { FACTS, PARENT } from './rollouts.ts';

const INPUT: StepKeyInput = {
  ...{ parent: PARENT.sha256, base: FACTS.base.sha256, trials: ['r/1', 'r/2'], plan: planOf('grpo'), adjustments: {} },
};

describe('the content of a step key', () => {
  it('is the same text for the same inputs, whatever the order of their keys', () => {
    const { plan } = INPUT;
    const { name, ...algorithm } = plan.algorithm;
    const turned = { ...plan, algorithm: { ...algorithm, name } };
    expect(stepKeyContent({ ...INPUT, plan: turned })).toBe(stepKeyContent(INPUT));
    expect(stepKeyContent(INPUT)).toMatch(/^\{"base":"b{64}","parent":"a{64}","settings":\{"adapter":\{"alpha":32,/);
  });

  const plan = planOf({ name: 'grpo', lr: 1e-3 });
  it.each<[string, Partial<StepKeyInput>]>([
    ['parent', { parent: null }],
    ['base', { base: PARENT.sha256 }],
    ['trial', { trials: ['r/1', 'r/3'] }],
    ['order of trials', { trials: ['r/2', 'r/1'] }],
    ['setting', { plan }],
    ['adjustment', { adjustments: { lr: 1e-4 } }],
  ])('is another for another %s', (_, change) => {
    expect(stepKeyContent({ ...INPUT, ...change })).not.toBe(stepKeyContent(INPUT));
  });

  it('does not tell a setting from a gate that came to the same', () => {
    expect(stepKeyContent({ ...INPUT, adjustments: { lr: 1e-3 } })).toBe(stepKeyContent({ ...INPUT, plan }));
  });
});
