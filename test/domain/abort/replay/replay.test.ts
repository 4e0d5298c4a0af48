import { describe, expect, it } from 'vitest';
import { isUndecided, boundFalseAborts } from '../../../../domain/abort/replay/bound-false-aborts.ts';
import { ordersOf, replayOrder } from '../../../../domain/abort/replay/replay-order.ts';
import { replay } from '../../../../domain/abort/replay/replay.ts';
import type { ReplayCurve, ReplayPlan } from '../../../../domain/abort/replay/types.ts';
import { DEFAULT_ABORT } from '../../../../domain/abort/types.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';
import { BUDGET, fallingTo } from '../support.ts';

const PLAN: ReplayPlan = {
  ...DEFAULT_ABORT,
  rule: 'matched-time',
  direction: 'minimize',
  incumbent: 'running',
  slots: 1,
  repeats: 4,
  seed: 1,
  audit: { first: 0, share: 0.05 },
};

function curves(n: number, sign: 1 | -1 = 1): ReplayCurve[] {
  const random = createRandom(12);
  return Array.from({ length: n }, (_, i) => {
    const final = 1 + random.uniform();
    const points = fallingTo(final, { noise: 0.01, seed: i, sign });
    return { group: `g${i}`, points, budget: BUDGET, final: sign * final };
  });
}

describe('a replay', () => {
  it('without a rule runs everything to its end', () => {
    const report = replay(curves(20), { ...PLAN, rule: 'none' });
    expect(report).toMatchObject({ runs: 80, aborted: 0, falseAborts: 0, savedShare: 0, gain: 1, regret: 0 });
    expect(report.wouldBeIncumbents).toBeGreaterThan(0);
  });

  it('saves time and loses nothing if early values predict the end', () => {
    const report = replay(curves(120), PLAN);
    expect(report.gain).toBeGreaterThan(1.3);
    expect(report).toMatchObject({ falseAborts: 0, regret: 0 });
    expect(report.gain).toBeCloseTo(1 / (1 - report.savedShare), 10);
    expect(report.usefulGain).toBeCloseTo(report.gain, 10);
  });

  it('gives the same report again, and the mirrored one for a mirrored metric', () => {
    const report = replay(curves(60), PLAN);
    expect(replay(curves(60), PLAN)).toEqual(report);
    const mirrored = replay(curves(60, -1), { ...PLAN, direction: 'maximize' });
    expect(mirrored.gain).toBeCloseTo(report.gain, 10);
    expect(mirrored.falseAborts).toBe(report.falseAborts);
  });

  it('audits every run if audit.first covers them all', () => {
    const report = replay(curves(60), { ...PLAN, audit: { first: 1000, share: 0.05 } });
    expect(report).toMatchObject({ aborted: 0, gain: 1, regret: 0 });
  });

  it('ends every run once, on any number of slots', () => {
    for (const slots of [1, 3, 64]) {
      const all = curves(40);
      const { runs } = replayOrder(all, ordersOf(40, PLAN)[1] ?? [], { ...PLAN, slots });
      expect(new Set(runs.map((run) => run.curve)).size).toBe(40);
      expect(runs).toHaveLength(40);
    }
  });

  it('learns only from ended runs: runs that all run at once have nothing to learn from', () => {
    expect(replay(curves(40), { ...PLAN, slots: 40 })).toMatchObject({ aborted: 0, gain: 1 });
  });

  it('counts the would-be incumbents by the order alone', () => {
    const plans = (['none', 'asha', 'matched-time'] as const).map((rule) => ({ ...PLAN, rule }));
    const counts = plans.map((plan) => replay(curves(50), plan).wouldBeIncumbents);
    expect(new Set(counts).size).toBe(1);
  });

  it('has a fixed number to beat with the quantile: the best tenth', () => {
    const report = replay(curves(50), { ...PLAN, incumbent: 'quantile', rule: 'none' });
    expect(report.wouldBeIncumbents).toBe(4 * 4);
  });

  it('counts a winner that crosses late as a false abort, and its loss as regret', () => {
    // Two runs follow the 38 plain ones: one beats them visibly, the other beats all, but only at its end.
    const plain = Array.from({ length: 38 }, (_, i) => 1 + i / 38);
    const crossing = fallingTo(0.5).map((point) => ({ ...point, value: point.value + (point.step < 90 ? 4 : 0) }));
    const run = (final: number, points = fallingTo(final, { noise: 0.01, seed: 100 * final })): ReplayCurve => ({
      group: `g${final}`,
      points,
      budget: BUDGET,
      final,
    });
    const order = [...plain.map((final) => run(final)), run(0.9), run(0.5, crossing)];
    const report = replay(order, { ...PLAN, repeats: 1, audit: { first: 0, share: 0 } });
    expect(report).toMatchObject({ wouldBeIncumbents: 2, falseAborts: 0.5, wantedFalse: 0.5, undecided: true });
    // The best tenth: .5, .9, 1 and 1.026.
    expect(report.bestTenthAborts).toBe(1 / 4);
    expect(report.falseAbortUpper95).toBeGreaterThan(0.5);
    // If the two groups with a case are drawn again, both draws give the run that was not stopped one time in four.
    expect(report.falseAbortLower95).toBe(0);
    expect(report.bestTenthUpper95).toBeGreaterThan(1 / 4);
    expect(report.bestTenthLower95).toBeLessThan(1 / 4);
    expect(report.regret).toBeCloseTo(0.4, 10);
    expect(report.gain).toBeGreaterThan(1.1);
    expect(report.usefulGain).toBeCloseTo(report.gain / 2, 10);
  });

  it('looks at a run when the loop does: at the first line at or past the share of a look', () => {
    const everyFourth = ({ step }: { step: number }) => step % 4 === 2;
    const sparse = curves(120).map((curve) => ({ ...curve, points: curve.points.filter(everyFourth) }));
    const { runs } = replayOrder(sparse, ordersOf(120, PLAN)[1] ?? [], PLAN);
    const stops = runs.filter(({ aborted }) => aborted).map(({ used }) => Math.round(100 * used));
    expect(stops.length).toBeGreaterThan(20);
    expect(new Set(stops).size).toBeGreaterThan(2);
    // Lines come at 2, 6, 10, 14 … %. Each look is at the first line at or past 10, 15, 20, 25 … %. After 90 %, the
    // next look is at 98 %, which is too late to stop.
    const looks = [10, 18, 22, 26, 30, 38, 42, 46, 50, 58, 62, 66, 70, 78, 82, 86, 90];
    expect(looks).toEqual(expect.arrayContaining(stops));
  });

  it('counts the true length of runs that end before their budget, or after it', () => {
    for (const end of [50, 100, 120]) {
      const all = curves(120).map((curve, i) => {
        const points = fallingTo(curve.final, { noise: 0.01, seed: i, until: end });
        return { ...curve, points };
      });
      const { runs } = replayOrder(all, ordersOf(120, PLAN)[0] ?? [], PLAN);
      expect(
        runs.every(({ whole, used, aborted }) => whole === end / 100 && (aborted ? used < whole : used === whole)),
      ).toBe(true);
      const report = replay(all, { ...PLAN, repeats: 1 });
      const sum = (part: (run: (typeof runs)[number]) => number) => runs.reduce((total, run) => total + part(run), 0);
      expect(report.gain).toBeGreaterThan(1.3);
      expect(report.gain).toBeCloseTo(sum(({ whole }) => whole) / sum(({ used }) => used), 10);
      expect(report.savedShare).toBeCloseTo(1 - 1 / report.gain, 10);
      expect(replay(all, { ...PLAN, rule: 'none' })).toMatchObject({ gain: 1, savedShare: 0 });
    }
  });

  it('frees a slot when a short run ends', () => {
    const [short, long] = [fallingTo(1, { until: 40 }), fallingTo(1)];
    const all = [short, long, short, short].map((points, i) => ({
      group: `g${i}`,
      points,
      budget: BUDGET,
      final: 1 + i,
    }));
    // On two slots, the third run begins when the first has ended, and ends before the second.
    const { runs } = replayOrder(all, [0, 1, 2, 3], { ...PLAN, rule: 'none', slots: 2 });
    expect(runs.map(({ curve, used }) => [curve, used])).toEqual([
      [0, 0.4],
      [2, 0.4],
      [1, 1],
      [3, 0.4],
    ]);
  });

  it('refuses a single curve', () => {
    expect(() => replay(curves(1), PLAN)).toThrow('expected at least 2 curves');
  });
});

describe('the limits of false aborts', () => {
  const upperBound = (...args: Parameters<typeof boundFalseAborts>): number => boundFalseAborts(...args).high;
  const count = (group: string, hits: number, cases = 10) => ({ group, hits, cases });

  it('do not call few curves safe only because none of them was lost', () => {
    const few = Array.from({ length: 10 }, (_, i) => count(`g${i}`, 0));
    expect(upperBound(few, 1)).toBeCloseTo(1 - 0.05 ** (1 / 10), 6);
    expect(isUndecided(few)).toBe(true);
    expect(isUndecided(Array.from({ length: 80 }, (_, i) => count(`g${i}`, 0)))).toBe(false);
    expect(upperBound([], 1)).toBe(1);
  });

  it('do not call the share of few recipes certain, since few recipes drawn again are mostly the same', () => {
    const bounds = boundFalseAborts([count('one', 6, 40)], 1);
    expect(bounds.low).toBeGreaterThan(0);
    expect(bounds.low).toBeLessThan(0.001);
    expect(bounds.high).toBeGreaterThan(0.9);
    // Two recipes, all of whose cases are hits: the exact limit of 2 of 2.
    expect(boundFalseAborts([count('one', 10), count('two', 10)], 1).low).toBeCloseTo(Math.sqrt(0.05), 6);
    expect(boundFalseAborts([], 1)).toEqual({ low: 0, high: 1 });
  });

  it('have a lower end of 0 if the hits lie in one of many recipes, and a higher one if they lie in all', () => {
    const groups = (hits: (i: number) => number) => Array.from({ length: 50 }, (_, i) => count(`g${i}`, hits(i)));
    expect(
      boundFalseAborts(
        groups((i) => (i === 0 ? 10 : 0)),
        1,
      ).low,
    ).toBe(0);
    // 94 hits of 2,900 cases, at most two in a group.
    const hitsOf = (i: number): number => {
      if (i % 3 === 0) return 2;
      return i % 3 === 1 && i < 78 ? 1 : 0;
    };
    const many = Array.from({ length: 100 }, (_, i) => count(`g${i}`, hitsOf(i), 29));
    const { low } = boundFalseAborts(many, 1);
    expect(low).toBeGreaterThan(0.025);
    expect(low).toBeLessThan(0.031);
  });

  it('count recipes, not curves: many curves of one recipe show little', () => {
    const alike = Array.from({ length: 80 }, (_, i) => count(`g${i % 4}`, 0));
    expect(upperBound(alike, 1)).toBeCloseTo(1 - 0.05 ** (1 / 4), 6);
    expect(isUndecided(alike)).toBe(true);
  });

  it('are wider if the false aborts lie in one group', () => {
    const spread = Array.from({ length: 100 }, (_, i) => count(`g${i % 50}`, i % 10 === 0 ? 10 : 0));
    const lumped = Array.from({ length: 100 }, (_, i) => count(i < 10 ? 'one' : `g${i % 50}`, i < 10 ? 10 : 0));
    expect(upperBound(lumped, 1)).toBeGreaterThan(upperBound(spread, 1));
  });
});
