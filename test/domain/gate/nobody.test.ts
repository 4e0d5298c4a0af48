import { expect, test } from 'vitest';
import { advance, openGate } from '../../../domain/gate/gate.ts';
import type { GateConfig, WantedRun } from '../../../domain/gate/types.ts';
import { GateDriver, parentOf } from './support.ts';

const CONFIG: GateConfig = {
  policy: 'strict',
  direction: 'maximize',
  minDelta: 0,
  falseKeepsPer200: 0.05,
  baselineRuns: 1,
  repeats: 1,
  followsLead: false,
};

/**
 * A gate whose unmodified version never works. `tried`: values of search trials that end before the gate gives up the
 * baseline.
 */
function withoutBaseline(config: GateConfig, tried: number[]) {
  let { state, wanted } = openGate(config, 'base');
  const wantedRuns: WantedRun[] = [...wanted];
  const verdicts: Record<number, string> = {};
  const claims: number[] = [];
  let n = 0;
  const end = (run: { kind: WantedRun['kind'] | 'search'; candidateId: string; value: number | null }): void => {
    const next = advance(config, state, { ...run, n: (n += 1), parentId: 'base', ofTrial: null, seed: n });
    ({ state, wanted } = next);
    wantedRuns.push(...wanted);
    for (const ruling of next.rulings) verdicts[ruling.n] = ruling.verdict;
    if (next.claimed) claims.push(next.claimed.value);
  };
  tried.forEach((value, index) => end({ kind: 'search', candidateId: `c${index}`, value }));
  for (let i = 0; i < wantedRuns.length && i < 100; i += 1) {
    const { kind, candidateId } = wantedRuns[i]!;
    end({ kind, candidateId, value: candidateId === 'base' ? null : (tried[Number(candidateId.slice(1))] ?? null) });
  }
  return { wantedRuns, verdicts, claims, end };
}

test.each(['strict', 'noise-gated'] as const)(
  'a baseline that never works is given up after a few runs; no other candidate is run (%s)',
  (policy) => {
    const baselineRuns = policy === 'strict' ? 1 : 10;
    const { wantedRuns, claims } = withoutBaseline({ ...CONFIG, policy, baselineRuns }, []);
    expect(new Set(wantedRuns.map(({ candidateId }) => candidateId))).toEqual(new Set(['base']));
    expect(wantedRuns.length).toBeGreaterThan(baselineRuns);
    expect(wantedRuns.length).toBeLessThan(3 * baselineRuns + 6);
    expect(claims).toEqual([]);
  },
);

test('the first candidate that works afterwards is kept, and the next must beat it', () => {
  const { end, claims, verdicts, wantedRuns } = withoutBaseline(CONFIG, []);
  const last = wantedRuns.length;
  for (const value of [3, 2, 4]) end({ kind: 'search', candidateId: `later ${value}`, value });
  expect([1, 2, 3].map((k) => verdicts[last + k])).toEqual(['keep', 'discard', 'keep']);
  expect(claims).toEqual([3, 4]);
});

test('candidates that worked while the baseline failed are ruled on, and the best of them is the claim', () => {
  const { verdicts, claims } = withoutBaseline(CONFIG, [1, 0, 2]);
  expect([1, 2, 3].map((n) => verdicts[n])).toEqual(['keep', 'discard', 'keep']);
  expect(claims.at(-1)).toBe(2);
});

test.each([true, false])(
  'a baseline that never ran is not raced, nor gone back to (the search follows the lead: %s)',
  (followsLead) => {
    // The losses are far from 0, the value that a candidate without a run might be given by mistake.
    const driver = new GateDriver({ followsLead, direction: 'minimize', baselineRuns: 3 });
    driver.answer(() => null);
    const noisy = (mean: number): number => mean + ((driver.n * 7) % 5) / 10;
    driver.feed({ candidateId: 'first', value: noisy(4.3) });
    const rerunIds: string[] = [];
    for (let i = 0; i < 20; i += 1) {
      rerunIds.push(...driver.wanted.map(({ candidateId }) => candidateId));
      driver.answer(({ candidateId }) => (candidateId === 'base' ? null : noisy(4.3)), 20);
      driver.feed({ value: noisy(6), parentId: 'first' });
    }
    expect(rerunIds).toContain('first');
    expect(rerunIds).not.toContain('base');
    expect(parentOf(driver.config, driver.state)).toBe('first');
  },
);

test('a candidate with two held trials is one subject', () => {
  let { state } = openGate(CONFIG, 'base');
  const run = (n: number, kind: 'search' | 'baseline', candidateId: string, value: number) => {
    const next = advance(CONFIG, state, { n, kind, candidateId, parentId: 'base', ofTrial: null, seed: n, value });
    ({ state } = next);
    return next;
  };
  run(1, 'search', 'x', 4);
  run(2, 'search', 'x', 5);
  const result = run(3, 'baseline', 'base', 3);
  expect(result.rulings.filter(({ n }) => n < 3)).toMatchObject([
    { n: 1, verdict: 'keep' },
    { n: 2, verdict: 'none' },
  ]);
  expect(state.subjects.filter(({ candidateId }) => candidateId === 'x')).toHaveLength(1);
  expect(result.claimed).toMatchObject({ candidateId: 'x', previous: 'base', value: 4 });
});
