import { expect, test } from 'vitest';
import { phaseOf, timeless, type State } from '../../workflows/research/state.ts';

const waiting = (pacedUntil: number): State =>
  ({
    ...{ over: null, stopping: null, paused: false, blocked: null, endpointDown: null, spent: null },
    ...{ inflight: new Map(), pacedUntil },
  }) as State;

test('a research that holds proposals back says until when, and another time is no news', () => {
  const until = (Math.floor(Date.now() / 1000) + 40) * 1000;
  const { phase, reason } = phaseOf(waiting(until));
  expect(phase).toBe('waiting');
  expect(reason).toMatch(new RegExp(`the next one waits until ${new Date(until).toISOString().slice(11, 19)} UTC$`));
  expect(timeless(reason)).toBe(timeless(phaseOf(waiting(until + 80_000)).reason));
  expect(timeless('disk: 3 MiB free')).toBe('disk: 3 MiB free');
});
