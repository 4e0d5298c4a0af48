import { describe, expect, it } from 'vitest';
import { ABORT_RULES, type AbortRuleName, ABORTS } from '../../../domain/abort/table.ts';
import { openRule, type RunningRule } from '../../../domain/abort/rules.ts';
import type { CurvePoint, Direction } from '../../../domain/abort/types.ts';
import { BUDGET, configFor, fallingTo, STEPS } from './support.ts';

/** A rule that has seen `n` runs with finals 1 … 2; the best is 1. */
function taught(name: AbortRuleName, direction: Direction, n = 40): RunningRule {
  const sign = direction === 'minimize' ? 1 : -1;
  let rule = openRule(name, configFor(direction));
  for (let i = 0; i < n; i += 1) {
    const final = 1 + ((i * 7) % n) / n;
    const points = fallingTo(final, { noise: 0.01, seed: i + 1, sign });
    // Decisions on running runs fill the rungs of asha.
    for (const until of [12, 34])
      rule = rule.decide({ points: points.slice(0, until), budget: BUDGET, incumbent: sign }).rule;
    rule = rule.learn({ points, budget: BUDGET, final: sign * final });
  }
  return rule;
}

/** The share at which a rule stops a run, with a look at every 2 % of the budget; null if never. */
function stoppedAt(rule: RunningRule, points: readonly CurvePoint[], incumbent: number, strictness = 1): number | null {
  let now = rule;
  for (let until = 2; until < STEPS; until += 2) {
    const step = now.decide({ points: points.slice(0, until), budget: BUDGET, incumbent, strictness });
    now = step.rule;
    if (step.decision.abort) return until / STEPS;
  }
  return null;
}

const DECIDING = ABORT_RULES.filter((name) => name !== 'none');

describe.each(ABORT_RULES)('%s', (name) => {
  it('keeps its state through JSON', () => {
    const rule = taught(name, 'minimize');
    const again = openRule(name, configFor('minimize'), JSON.parse(JSON.stringify(rule.state)) as unknown);
    const input = { points: fallingTo(3, { until: 50 }), budget: BUDGET, incumbent: 1 };
    expect(again.decide(input).decision).toEqual(rule.decide(input).decision);
  });

  it('never aborts before its first point, before burn-in, or without a finished run', () => {
    const rule = taught(name, 'minimize');
    const fresh = openRule(name, configFor('minimize'));
    const bad = fallingTo(9);
    expect(rule.decide({ points: [], budget: BUDGET, incumbent: 1 }).decision.abort).toBe(false);
    expect(rule.decide({ points: bad.slice(0, 9), budget: BUDGET, incumbent: 1 }).decision.abort).toBe(false);
    if (name !== 'power-law-sprt') expect(stoppedAt(fresh, bad, 1)).toBeNull();
  });

  it('survives values that are not finite', () => {
    const points = fallingTo(1, { until: 50 }).map((point, i) => (i % 3 === 0 ? { ...point, value: NaN } : point));
    const { decision } = taught(name, 'minimize').decide({ points, budget: BUDGET, incumbent: 1 });
    expect(decision.reason).not.toMatch(/NaN|undefined/);
    const none = points.map((point) => ({ ...point, value: Infinity }));
    expect(taught(name, 'minimize').decide({ points: none, budget: BUDGET, incumbent: 1 }).decision.abort).toBe(false);
  });

  it('never changes a state that it was given', () => {
    const rule = taught(name, 'minimize');
    const before = JSON.stringify(rule.state);
    rule.learn({ points: fallingTo(1.2), budget: BUDGET, final: 1.2 });
    rule.decide({ points: fallingTo(3, { until: 34 }), budget: BUDGET, incumbent: 1 });
    expect(JSON.stringify(rule.state)).toBe(before);
  });
});

describe.each(DECIDING)('%s', (name) => {
  it.each(['minimize', 'maximize'] as const)('lets the best run go on if the direction is to %s', (direction) => {
    const sign = direction === 'minimize' ? 1 : -1;
    const good = fallingTo(0.8, { noise: 0.01, seed: 99, sign });
    expect(stoppedAt(taught(name, direction), good, sign)).toBeNull();
  });

  it('decides alike for a metric and for its mirror image', () => {
    for (const final of [0.9, 1.5, 2.5]) {
      const points = fallingTo(final, { noise: 0.01, seed: 98 });
      const mirrored = points.map((point) => ({ ...point, value: -point.value }));
      expect(stoppedAt(taught(name, 'maximize'), mirrored, -1)).toBe(stoppedAt(taught(name, 'minimize'), points, 1));
    }
  });

  const whenStricter = ABORTS[name].canTighten ? 'stops later or less' : 'stops no later';
  it(`${whenStricter} if its strictness asks for more evidence`, () => {
    const rule = taught(name, 'minimize');
    const finals = Array.from({ length: 20 }, (_, i) => 1 + i / 5);
    const used = (strictness: number): number =>
      finals.reduce((sum, final, i) => {
        const points = fallingTo(final, { noise: 0.01, seed: 200 + i });
        return sum + (stoppedAt(rule, points, 1, strictness) ?? 1);
      }, 0);
    const [usual, strict] = [used(1), used(1e9)];
    if (ABORTS[name].canTighten) expect(strict).toBeGreaterThan(usual);
    else expect(strict).toBe(usual);
  });

  it('reads budgets of seconds like budgets of steps', () => {
    const rule = taught(name, 'minimize');
    const points = fallingTo(2.5, { until: 34 });
    const seconds = { kind: 'seconds', total: STEPS / 10 } as const;
    const bySteps = rule.decide({ points, budget: BUDGET, incumbent: 1 }).decision;
    expect(rule.decide({ points, budget: seconds, incumbent: 1 }).decision).toMatchObject({ abort: bySteps.abort });
  });
});

describe.each(['matched-time', 'asha', 'power-law-sprt'] as const)('%s', (name) => {
  it('stops a run that is far behind', () => {
    expect(stoppedAt(taught(name, 'minimize'), fallingTo(3), 1)).not.toBeNull();
    expect(stoppedAt(taught(name, 'maximize'), fallingTo(3, { sign: -1 }), -1)).not.toBeNull();
  });
});

describe.each(['matched-time', 'median', 'power-law-sprt'] as const)('%s', (name) => {
  it('stops no run that has less than a twentieth of its budget left, and says so', () => {
    const at = (until: number) =>
      taught(name, 'minimize').decide({ points: fallingTo(30, { until }), budget: BUDGET, incumbent: 1 }).decision;
    expect(at(95).abort).toBe(true);
    expect(at(96)).toMatchObject({ abort: false, share: 0.96 });
    expect(at(96).reason).toMatch(/; it goes on, since less than 5 % of its budget is left$/);
  });
});

describe('median', () => {
  it('stops a run whose best value never reached the average of the others', () => {
    const flat = fallingTo(30);
    expect(stoppedAt(taught('median', 'minimize'), flat, 1)).toBe(0.1);
  });
});

describe('power-law-sprt', () => {
  it('stops a winner whose schedule drops late, unlike matched-time, which has learned such runs', () => {
    const dropping = (final: number, seed: number): CurvePoint[] =>
      fallingTo(final, { noise: 0.01, seed }).map((point) => {
        const left = Math.min(1, (1 - point.step / STEPS) / 0.2);
        return { ...point, value: point.value + 0.5 * left };
      });
    const stopped = (name: AbortRuleName): number | null => {
      let rule = openRule(name, configFor('minimize'));
      for (let i = 0; i < 40; i += 1) {
        const final = 1 + ((i * 7) % 40) / 40;
        rule = rule.learn({ points: dropping(final, i + 1), budget: BUDGET, final });
      }
      return stoppedAt(rule, dropping(0.8, 99), 1);
    };
    expect(stopped('power-law-sprt')).not.toBeNull();
    expect(stopped('matched-time')).toBeNull();
  });
});

describe('power-law-sprt-corrected', () => {
  it('stops a run that is far behind once it knows its own forecast errors', () => {
    expect(stoppedAt(taught('power-law-sprt-corrected', 'minimize'), fallingTo(4), 1)).not.toBeNull();
  });

  it('is not blinded by one run in another unit, or that ends absurdly', () => {
    const rule = taught('power-law-sprt-corrected', 'minimize');
    const odd = fallingTo(1.5, { noise: 0.02, seed: 9 }).map((point) => ({ ...point, value: 2.5e5 * point.value }));
    for (const [points, final] of [
      [odd, 1.5],
      [fallingTo(1.5, { noise: 0.02, seed: 9 }), 1e9],
      [fallingTo(1.5, { noise: 0.02, seed: 9 }), Infinity],
      [odd.map((point) => ({ ...point, value: 1e308 })), 1.5],
    ] as const)
      expect(stoppedAt(rule.learn({ points, budget: BUDGET, final }), fallingTo(4), 1)).toBe(
        stoppedAt(rule, fallingTo(4), 1),
      );
  });
});
