import { expect, it } from 'vitest';
import { adjusted, valuesOf } from '../../../../domain/learning/gates/adjust.ts';
import { planOf } from '../../search/update/plans.ts';

it('values are those of the settings, with what gates have changed', () => {
  const values = { lr: 4e-4, entropyCoefficient: 0.01, klCoefficient: 0, maxGradNorm: 1 };
  expect(valuesOf(planOf('grpo'), {})).toEqual(values);
  expect(valuesOf(planOf('grpo'), { lr: 2e-4 })).toEqual({ ...values, lr: 2e-4 });
});

it('a plan itself is never changed', () => {
  const plan = planOf('grpo');
  adjusted(plan, { lr: 1, entropyCoefficient: 1 });
  expect(plan).toEqual(planOf('grpo'));
});
