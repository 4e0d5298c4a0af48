import { describe, expect, it } from 'vitest';
import { FEWEST } from '../../../../domain/abort/rules/matched-time/against-all.ts';
import { PEERS } from '../../../../domain/abort/rules/matched-time/against-good.ts';
import type { MatchedState } from '../../../../domain/abort/rules/matched-time/state.ts';
import { matchedTime } from '../../../../domain/abort/rules/matched-time.ts';
import { openRule, type RunningRule } from '../../../../domain/abort/rules.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';
import { BUDGET, configFor, fallingTo } from '../support.ts';
import { excess, type Regression } from '../../../../domain/abort/rules/matched-time/regression.ts';

function taught(n: number, noise = 0.02): RunningRule {
  const random = createRandom(5);
  let rule = openRule('matched-time', configFor('minimize'));
  for (let i = 0; i < n; i += 1) {
    const final = 1 + random.uniform();
    rule = rule.learn({ points: fallingTo(final, { noise, seed: i + 1 }), budget: BUDGET, final });
  }
  return rule;
}
const look = (rule: RunningRule, final: number, until: number, incumbent: number | null = 1) =>
  rule.decide({ points: fallingTo(final, { until, noise: 0.02, seed: 77 }), budget: BUDGET, incumbent }).decision;

describe('matched-time', () => {
  it('reports how few runs it has', () => {
    expect(look(taught(FEWEST - 1), 5, 50)).toMatchObject({ abort: false, forecast: null });
    expect(look(taught(FEWEST - 1), 5, 50).reason).toContain(`${FEWEST - 1} completed runs to compare with`);
  });

  it('stops a plainly hopeless run once it has its fewest runs, but not one that ties the incumbent', () => {
    expect(look(taught(FEWEST), 5, 50)).toMatchObject({ abort: true });
    expect(look(taught(FEWEST), 1, 50)).toMatchObject({ abort: false });
  });

  it('learns nothing from a curve with absurd values, and judges one by its latest values', () => {
    const points = fallingTo(1.5, { noise: 0.02, seed: 9 });
    const absurd = points.map((point, i) => (i < 2 ? { ...point, value: 1e308 } : point));
    const rule = taught(40);
    const after = rule.learn({ points: absurd, budget: BUDGET, final: 1.5 });
    expect(after.state).toEqual(rule.state);
    const bad = fallingTo(5, { until: 50, noise: 0.02, seed: 77 });
    const lying = bad.map((point, i) => (i < 2 ? { ...point, value: i === 0 ? 1e308 : 1e17 } : point));
    expect(rule.decide({ points: lying, budget: BUDGET, incumbent: 1 }).decision).toMatchObject({ abort: true });
  });

  it('weighs an audited run for the stopped ones that it stands for', () => {
    // A run that ended as well as any, but looked worse than all others at half time.
    const odd = fallingTo(1.05, { noise: 0.02, seed: 3 }).map((point) => ({
      ...point,
      value: point.value + (point.step < 60 ? 1 : 0),
    }));
    const limitWith = (weight: number): number | null => {
      const before = Array.from({ length: 60 }, (_, i) => i).reduce(
        (state, i) => {
          const final = 1 + i / 60;
          return matchedTime.learn(state, {
            points: fallingTo(final, { noise: 0.02, seed: i + 1 }),
            budget: BUDGET,
            final,
          });
        },
        matchedTime.init(configFor('minimize'), {}),
      );
      return matchedTime.learn(before, { points: odd, budget: BUDGET, final: 1.05, weight }).limit;
    };
    expect(limitWith(20)).toBeGreaterThan(2 * (limitWith(0) ?? Infinity));
  });

  it('stops no run that looks like one of the best three while fewer than twenty have ended', () => {
    const decideOn = (known: number) => {
      const rule = taught(known);
      const third = (rule.state as MatchedState).known[2]?.final ?? Number.NaN;
      // The run shows the values of the third best, and would have to end far better.
      return look(rule, third - 0.02, 50, -1);
    };
    expect(decideOn(11)).toMatchObject({ abort: false, reason: expect.stringContaining('like one of the best 3') });
    expect(decideOn(19)).toMatchObject({ abort: false });
    expect(decideOn(20)).toMatchObject({ abort: true });
  });

  it('replaces a carried run by each own run from the thirtieth on, the oldest carried one first', () => {
    const learnAll = (rule: RunningRule, { n, carried, from }: { n: number; carried: boolean; from: number }) =>
      Array.from({ length: n }, (_, i) => from + i).reduce(
        (next, i) => next.learn({ points: fallingTo(1 + i / 100), budget: BUDGET, final: 1 + i / 100, carried }),
        rule,
      );
    const finalsOf = (rule: RunningRule) =>
      (rule.state as MatchedState).known.filter((run) => run.carried !== undefined).map(({ final }) => final);
    const begun = learnAll(openRule('matched-time', configFor('minimize')), { n: 12, carried: true, from: 0 });
    expect(look(begun, 5, 50)).toMatchObject({ abort: true });
    const own = (n: number): RunningRule => learnAll(begun, { n, carried: false, from: 20 });
    expect(finalsOf(own(29))).toHaveLength(12);
    expect(finalsOf(own(31))).toEqual(finalsOf(begun).slice(2));
    expect(finalsOf(own(41))).toEqual([]);
  });

  it('forecasts the end, not the value at hand', () => {
    const { forecast, interval } = look(taught(60), 1.4, 30);
    expect(forecast).toBeCloseTo(1.4, 1);
    expect(interval?.low).toBeLessThan(1.4);
    expect(interval?.high).toBeGreaterThan(1.4);
  });

  it('covers the end with its 95 % interval as often as stated', () => {
    const rule = taught(80);
    const random = createRandom(8);
    let inside = 0;
    for (let i = 0; i < 400; i += 1) {
      const final = 1 + random.uniform();
      const points = fallingTo(final, { noise: 0.02, seed: 1000 + i, until: 20 });
      const { interval } = rule.decide({ points, budget: BUDGET, incumbent: 1 }).decision;
      if (interval && interval.low <= final && final <= interval.high) inside += 1;
    }
    expect(inside / 400).toBeGreaterThan(0.9);
  });

  it('waits for an incumbent but forecasts without one', () => {
    expect(look(taught(40), 5, 50, null)).toMatchObject({ abort: false, reason: 'there is no incumbent yet' });
    expect(look(taught(40), 5, 50, null).forecast).not.toBeNull();
  });

  it('does not learn an end from a run that was stopped', () => {
    const rule = taught(40);
    const censored = rule.learn({ points: fallingTo(0.1, { until: 30 }), budget: BUDGET, final: null });
    expect(look(censored, 1.5, 50)).toEqual(look(rule, 1.5, 50));
  });

  it('aborts no more runs than its bound allows if curves do not predict the end', () => {
    const random = createRandom(6);
    let [aborts, n] = [0, 0];
    for (let research = 0; research < 30; research += 1) {
      let rule = openRule('matched-time', configFor('minimize'));
      for (let i = 0; i < 60; i += 1)
        rule = rule.learn({ points: fallingTo(random.normal()), budget: BUDGET, final: random.normal() });
      for (let i = 0; i < 40; i += 1, n += 1)
        if (
          rule.decide({ points: fallingTo(random.normal(), { until: 50 }), budget: BUDGET, incumbent: -2 }).decision
            .abort
        )
          aborts += 1;
    }
    // A run worse than all its peers at one look: at most 1 / (PEERS + 1) of the runs.
    expect(aborts / n).toBeLessThanOrEqual(1 / (PEERS + 1));
  });

  it('asks for more evidence at a higher strictness', () => {
    const rule = taught(60, 0.3);
    const points = fallingTo(1.3, { until: 60, noise: 0.02, seed: 4 });
    const finals = Array.from({ length: 200 }, (_, i) => 1 + i / 100);
    const count = (strictness: number): number =>
      finals.filter((final) => {
        const shifted = points.map((point) => ({ ...point, value: point.value + final - 1.3 }));
        return rule.decide({ points: shifted, budget: BUDGET, incumbent: 1, strictness }).decision.abort;
      }).length;
    expect(count(2)).toBeLessThan(count(1));
    expect(count(1)).toBeGreaterThan(0);
  });

  it('stops good runs at a larger distance if its error target is smaller', () => {
    const limitAt = (errorTarget: number): number => {
      const random = createRandom(11);
      let rule = openRule('matched-time', { ...configFor('minimize'), errorTarget });
      // The curves are of different recipes, so that the first test stops nothing.
      for (let i = 0; i < 40; i += 1) {
        const off = random.normal();
        const points = fallingTo(1 + i / 100, { noise: 0.02, seed: i + 1 }).map((point) => ({
          ...point,
          value: point.value + off,
        }));
        rule = rule.learn({ points, budget: BUDGET, final: 1 + i / 100 });
      }
      const points = fallingTo(3.2, { until: 50, noise: 0.02, seed: 77 });
      const { reason } = rule.decide({ points, budget: BUDGET, incumbent: 1 }).decision;
      return Number(/the limit among them is ([-\d.e]+)/.exec(reason)?.[1]);
    };
    const [careful, usual, bold] = [limitAt(0.0001), limitAt(0.02), limitAt(1 / 15)];
    expect(careful).toBeGreaterThan(usual + 0.5);
    expect(bold).toBeLessThan(usual);
  });

  it('aborts at most few runs that tie the incumbent, over all looks', () => {
    const rule = taught(100);
    let stopped = 0;
    for (let i = 0; i < 200; i += 1) {
      const points = fallingTo(1, { noise: 0.02, seed: 5000 + i });
      for (let until = 10; until < 100; until += 1)
        if (rule.decide({ points: points.slice(0, until), budget: BUDGET, incumbent: 1 }).decision.abort) {
          stopped += 1;
          break;
        }
    }
    expect(stopped / 200).toBeLessThanOrEqual(0.02);
  });
});

/** Twenty runs whose values and finals have the correlation `r`, both with mean 0 and variance 1. */
const correlated = (r: number): Regression => ({ n: 20, meanX: 0, meanY: 0, xx: 20, yy: 20, xy: 20 * r });

describe('the distance of a run above the runs with its final', () => {
  it('is null at a share at which better runs looked worse, by more than a standard error of the slope', () => {
    // t = r √18 / √(1 − r²) is −1 at r = −.229.
    for (const r of [-0.9, -0.3, -0.24]) expect(excess(correlated(r), 5, -1)).toBeNull();
    for (const r of [-0.22, 0, 0.01]) expect(excess(correlated(r), 5, -1)?.z).toBeGreaterThan(4);
  });

  it('is in standard errors of a new run in the regression of the value on the final', () => {
    const found = excess(correlated(0.8), 2, -1);
    // Residual variance 20 (1 − .64) / 18 = .4, leverage 1/20 + 1/20.
    expect(found?.leverage).toBeCloseTo(0.1, 12);
    expect(found?.se).toBeCloseTo(Math.sqrt(0.4 * 1.1), 12);
    expect(found?.z).toBeCloseTo((2 + 0.8) / Math.sqrt(0.44), 12);
  });

  it('is null if all values agree', () => {
    expect(excess({ ...correlated(0), xx: 0, yy: 0 }, 1, 0)).toBeNull();
  });
});
