import { expect } from 'vitest';

/** Work that counts as measured, in microseconds of CPU time: far above the clock's own error. */
const ENOUGH = 1000;
const TIMES = 5;
const TRIES = 4;
const LENGTH = 8000;
const GROWTH = 8;
/** What a linear reader may take for an input 8 times as long; a quadratic one takes 64 times. */
const ALLOWED = GROWTH * 4;

/**
 * Expects the work to grow with the input and not with its square. CPU time, the least of several, set against the
 * same work on an eighth. A machine that is busy with other things may distort a measurement, never each of several:
 * what takes the square fails them all.
 */
export function expectLinear(name: string, make: (length: number) => () => unknown): void {
  let least = Infinity;
  for (let tries = 0; tries < TRIES && least >= ALLOWED; tries += 1)
    least = Math.min(least, cost(make(LENGTH * GROWTH)) / cost(make(LENGTH)));
  expect(least, `times the work for ${GROWTH} times the input: ${name}`).toBeLessThan(ALLOWED);
}

/** Microseconds of one call. */
function cost(work: () => unknown): number {
  let calls = 1;
  while (measured(work, calls) < ENOUGH) calls *= 2;
  const runs = Array.from({ length: TIMES }, () => measured(work, calls));
  return Math.min(...runs) / calls;
}

function measured(work: () => unknown, calls: number): number {
  const before = process.cpuUsage();
  for (let i = 0; i < calls; i += 1) work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
