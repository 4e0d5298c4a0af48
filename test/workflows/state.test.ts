import { describe, expect, test } from 'vitest';
import { phaseOf, timeless, type State, countEnded, endWait, keepRetry } from '../../workflows/research/state.ts';
import type { TrialEnded } from '../../domain/trial.ts';

const waiting = (pacedUntil: number): State =>
  ({
    endReason: null,
    stopping: null,
    paused: false,
    blocked: null,
    endpointDown: null,
    spent: null,
    inflight: new Map(),
    pacedUntil,
  }) as State;

test('a research that holds proposals back says until when, and a later time alone is no new phase', () => {
  const until = (Math.floor(Date.now() / 1000) + 40) * 1000;
  const { phase, reason } = phaseOf(waiting(until));
  expect(phase).toBe('waiting');
  expect(reason).toMatch(new RegExp(`the next one waits until ${new Date(until).toISOString().slice(11, 19)} UTC$`));
  expect(timeless(reason)).toBe(timeless(phaseOf(waiting(until + 80_000)).reason));
  expect(timeless('disk: 3 MiB free')).toBe('disk: 3 MiB free');
});

describe('a wait', () => {
  /** A research that holds new proposals back, with a trial of each kind under way. */
  const holding = (): State =>
    ({
      ended: 0,
      fixedWindow: 1,
      pacedUntil: Date.now() + 300_000,
      wakeups: 0,
      inflight: new Map(
        (['search', 'confirm', 'search'] as const).map((kind, index) => [index + 1, { n: index + 1, kind }]),
      ),
    }) as unknown as State;

  test.each([
    [1, 'completed', false],
    [2, 'completed', true],
    [3, 'rejected', true],
  ] as const)('after trial %d ended as %s, proposals are held back on: %s', (n, status, isHeld) => {
    const state = holding();
    countEnded(state, { n, status } as TrialEnded);
    expect(state.pacedUntil > Date.now()).toBe(isHeld);
  });

  test('a person may end the wait', () => {
    const state = holding();
    endWait(state);
    expect(state.pacedUntil).toBe(0);
  });
});

describe('a `resume` of a research whose last trials failed alike', () => {
  const failing = 'setup: it failed in the last trials';
  test.each([
    ['is kept if trials under way hold the next try back', { failing, trials: [] }, true],
    ['is used up by a new try', { failing, trials: [{ n: 4 }] }, false],
    ['is used up if nothing holds trials back', { failing: null, trials: [] }, false],
  ])('%s', (_, admitted, isKept) => {
    const state = { retries: false } as State;
    keepRetry(state, { retries: true, ...admitted });
    expect(state.retries).toBe(isKept);
    keepRetry(state, { retries: false, ...admitted });
    expect(state.retries).toBe(isKept);
  });
});
