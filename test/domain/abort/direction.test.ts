import { describe, expect, test } from 'vitest';
import { ABORT_RULES } from '../../../domain/abort/table.ts';
import { replay } from '../../../domain/abort/replay/replay.ts';
import type { ReplayCurve, ReplayPlan } from '../../../domain/abort/replay/types.ts';
import { DEFAULT_ABORT, type Direction } from '../../../domain/abort/types.ts';
import { createRandom } from '../../../domain/statistics/random.ts';
import { BUDGET, fallingTo } from './support.ts';

const PLAN: Omit<ReplayPlan, 'rule' | 'direction'> = {
  ...DEFAULT_ABORT,
  incumbent: 'running',
  slots: 1,
  repeats: 3,
  seed: 1,
  audit: { first: 0, share: 0.05 },
};

/** Runs that print a falling loss and are scored by an accuracy, which rises as the loss falls, or by its inverse. */
function lossesScored(metric: 'accuracy' | 'error', length = 120): ReplayCurve[] {
  const random = createRandom(7);
  return Array.from({ length }, (_, i) => {
    const loss = 1 + random.uniform();
    const final = 1 - loss / 3 + 0.01 * random.normal();
    const points = fallingTo(loss, { noise: 0.05, seed: i + 1 });
    return { group: `g${i}`, points, budget: BUDGET, final: metric === 'accuracy' ? final : 1 - final };
  });
}

const replayed = (rule: ReplayPlan['rule'], metric: 'accuracy' | 'error', curveDirection?: Direction) =>
  replay(lossesScored(metric), {
    ...PLAN,
    rule,
    direction: metric === 'accuracy' ? 'maximize' : 'minimize',
    ...(curveDirection ? { curveDirection } : {}),
  });

describe('a metric to maximize, by curves of a loss', () => {
  test.each(['none', 'matched-time', 'median', 'asha'] as const)('has, by %s, the report of its inverse', (rule) => {
    expect(replayed(rule, 'accuracy', 'minimize')).toEqual({
      ...replayed(rule, 'error'),
      regret: expect.closeTo(replayed(rule, 'error').regret, 9) as number,
    });
  });

  test('lets the default rule save time, and stop no winner', () => {
    const report = replayed('matched-time', 'accuracy', 'minimize');
    expect(report.gain).toBeGreaterThan(1.3);
    expect(report.falseAborts).toBe(0);
  });

  test('makes the default rule stop nothing if the loss is mistaken for a score', () => {
    expect(replayed('matched-time', 'accuracy')).toMatchObject({ aborted: 0, gain: 1 });
  });
});

test.each(ABORT_RULES)('%s assumes the direction of the metric for curves unless curveDirection is set', (rule) => {
  const plan: ReplayPlan = { ...PLAN, rule, direction: 'minimize' };
  const curves = lossesScored('error', 40);
  expect(replay(curves, { ...plan, curveDirection: 'minimize' })).toEqual(replay(curves, plan));
});
