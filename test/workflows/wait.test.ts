import { expect, test } from 'vitest';
import type { TrialEnded } from '../../domain/trial.ts';
import { countEnded, endWait, type State } from '../../workflows/research/state.ts';

/** A research that holds new proposals back, with a trial of each kind under way. */
const waiting = (): State =>
  ({
    ...{ ended: 0, fixedWindow: 1, pacedUntil: Date.now() + 300_000, wakeups: 0 },
    inflight: new Map(
      (['search', 'confirm', 'search'] as const).map((kind, index) => [index + 1, { n: index + 1, kind }]),
    ),
  }) as unknown as State;

test.each([
  [1, 'completed', false],
  [2, 'completed', true],
  [3, 'rejected', true],
] as const)('after trial %d ended as %s, proposals are held back on: %s', (n, status, isHeld) => {
  const state = waiting();
  countEnded(state, { n, status } as TrialEnded);
  expect(state.pacedUntil > Date.now()).toBe(isHeld);
});

test('a person may end the wait', () => {
  const state = waiting();
  endWait(state);
  expect(state.pacedUntil).toBe(0);
});
