import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { createOptimizer } from '../../../infra/optimizer/create-optimizer.ts';
import { installOptimizer } from '../../../infra/optimizer/install-optimizer.ts';
import type { AskRequest } from '../../../infra/optimizer.ts';

const SKIP_ERRORS = ['NoInterpreterError', 'NoSpaceError', 'IndexUnreachableError', 'TimeoutError'];
const config = loadConfig();
const { signal } = new AbortController();
/** Reason why the environment cannot be installed here; null: it is installed. */
let missing: string | null = null;

beforeAll(async () => {
  await installOptimizer({ ...config, tell: () => undefined }).catch((error: Error) => {
    if (!SKIP_ERRORS.includes(error.name)) throw error;
    missing = error.message;
  });
});

type Solutions = AskRequest['solutions'];
const requestOf = (more: Partial<AskRequest>): AskRequest => ({
  key: 'r',
  knobs: [
    ['float', -5, 10, 'linear'],
    ['int', 1, 64, 'log'],
    ['float', 1e-5, 1, 'log'],
  ],
  direction: 'minimize',
  population: 7,
  seed: 1,
  solutions: [],
  ...more,
});
/** Distance from (3, 10, 0.01) on the scales of the knobs. */
const valueOf = ([a = 0, b = 0, c = 0]: readonly number[]): number =>
  ((a - 3) / 15) ** 2 + (Math.log(b / 10) / 4) ** 2 + (Math.log10(c / 0.01) / 5) ** 2;

beforeEach((context) => {
  if (missing !== null) context.skip(missing);
});

describe("Optuna's CMA-ES", () => {
  test.each([
    ['minimize', 1],
    ['maximize', -1],
  ] as const)('finds an optimum of float, int and log knobs (%s), inside their ranges', async (direction, sign) => {
    const { ask } = createOptimizer(config);
    const solutions: [number[], number][] = [];
    for (let seed = 1; seed <= 90; seed += 1) {
      const values = await ask(requestOf({ direction, seed, solutions }), signal);
      expect(values[0]).toBeGreaterThanOrEqual(-5);
      expect(Number.isInteger(values[1]) && (values[1] ?? 0) >= 1 && (values[1] ?? 0) <= 64).toBe(true);
      solutions.push([values, sign * valueOf(values)]);
    }
    const late = solutions.slice(-7).map(([values]) => valueOf(values));
    expect(Math.max(...late)).toBeLessThan(0.02);
  });

  test('proposes the same after a kill, and after a score that came late', async () => {
    const first = createOptimizer(config);
    const grown: [number[], number][] = [];
    for (let seed = 1; seed <= 20; seed += 1) {
      const values = await first.ask(requestOf({ seed, solutions: grown }), signal);
      grown.push([values, valueOf(values)]);
    }
    const request = requestOf({ seed: 77, solutions: grown });
    const kept = await first.ask(request, signal);
    // A repeat, another process, and a process whose study began with other solutions.
    expect(await first.ask(request, signal)).toEqual(kept);
    expect(await createOptimizer(config).ask(request, signal)).toEqual(kept);
    const other: Solutions = [...grown.slice(1), ...grown.slice(0, 1)];
    expect(await first.ask(requestOf({ seed: 77, solutions: other }), signal)).not.toEqual(kept);
    expect(await first.ask(request, signal)).toEqual(kept);
    expect(await first.ask(requestOf({ seed: 78, solutions: grown }), signal)).not.toEqual(kept);
  });
});
