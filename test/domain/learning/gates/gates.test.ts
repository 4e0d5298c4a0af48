import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { adjusted, valuesOf } from '../../../../domain/learning/gates/adjust.ts';
import { planOf } from '../../search/update/plans.ts';
import { UPDATE_METRICS } from '../../../../domain/learning/gates/gate.ts';
import { batchShares } from '../../../../domain/learning/batch.ts';
import { UPDATES } from '../../../../domain/search/update/table.ts';
import { rollout } from '../rollouts.ts';

it('values are those of the settings, with the changes of gates', () => {
  const values = { lr: 4e-4, entropyCoefficient: 0.01, klCoefficient: 0, maxGradNorm: 1 };
  expect(valuesOf(planOf('grpo'), {})).toEqual(values);
  expect(valuesOf(planOf('grpo'), { lr: 2e-4 })).toEqual({ ...values, lr: 2e-4 });
});

it('an adjustment of a setting that only another method has is left out', () => {
  expect(valuesOf(planOf('ppo'), { valueLr: 0.05 })).toMatchObject({ valueLr: 0.05 });
  expect(adjusted(planOf('grpo'), { valueLr: 0.05 })).toEqual(adjusted(planOf('grpo'), {}));
  expect(() => adjusted(planOf('grpo'), { batch: 3 })).toThrow('expected an adjustment of a setting of the step');
});

it('an adjustment never changes the plan itself', () => {
  const plan = planOf('grpo');
  adjusted(plan, { lr: 1, entropyCoefficient: 1 });
  expect(plan).toEqual(planOf('grpo'));
});

describe('the metrics of gates', () => {
  /** The names of the metrics in the report of the trainer. */
  function trainers(): string[] {
    const source = readFileSync('trainer/perpetua_trainer/objective/report.py', 'utf8');
    return [...source.matchAll(/^ +(?:"(\w+)": |found\["(\w+)"\] = )/gm)].map(([, key, other]) => key ?? other ?? '');
  }

  it('are those of the trainer and of the batch', () => {
    const own = Object.keys(batchShares([rollout()]));
    expect(trainers().length).toBeGreaterThan(20);
    expect([...UPDATE_METRICS].sort()).toEqual([...new Set([...trainers(), ...own])].sort());
  });

  it.each(Object.keys(UPDATES).filter((name) => name !== 'none'))('include all that the gates of %s read', (name) => {
    expect(UPDATE_METRICS).toEqual(expect.arrayContaining(planOf(name).gates.map(({ metric }) => metric)));
  });
});
