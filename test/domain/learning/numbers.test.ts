import { expect, it } from 'vitest';
import { numbersOf } from '../../../domain/learning/batch.ts';
import { rollout } from './rollouts.ts';

it('are the shares of new candidates and of those that completed, copies of these too', () => {
  const completed = { status: 'completed', failure: null } as const;
  const rollouts = [
    rollout(),
    rollout({ status: 'cached', first: completed }),
    rollout({ status: 'cached', first: { status: 'crashed', failure: 'exit-code' } }),
    rollout({ status: 'lost', failure: 'machine-lost' }),
  ];
  expect(numbersOf(rollouts)).toEqual({ novelty: 0.25, success: 0.5 });
});

it('are none of an empty batch', () => {
  expect(numbersOf([])).toEqual({});
});
