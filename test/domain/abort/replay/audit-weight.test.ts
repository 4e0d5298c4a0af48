import { expect, test, vi } from 'vitest';
import { ordersOf, replayOrder } from '../../../../domain/abort/replay/replay-order.ts';
import { DEFAULT_ABORT, type FinishedCurve } from '../../../../domain/abort/types.ts';
import type * as Rules from '../../../../domain/abort/rules.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';
import { BUDGET, fallingTo } from '../support.ts';

const learned = vi.hoisted((): FinishedCurve[] => []);
vi.mock('../../../../domain/abort/rules.ts', async (original) => {
  const rules = await original<typeof Rules>();
  const { createRecordingRule: noting } = await import('../../../support/recording-rule.ts');
  const openRule: typeof rules.openRule = (...args) => noting(rules.openRule(...args), learned);
  return { ...rules, openRule };
});

test('a replay teaches its rule an audited run with the inverse of its audit probability as the weight', () => {
  const random = createRandom(12);
  const curves = Array.from({ length: 120 }, (_, i) => {
    const final = 1 + random.uniform();
    return { group: `g${i}`, points: fallingTo(final, { noise: 0.01, seed: i }), budget: BUDGET, final };
  });
  const plan = {
    ...DEFAULT_ABORT,
    direction: 'minimize',
    incumbent: 'running',
    slots: 1,
    repeats: 1,
    seed: 1,
  } as const;
  const audit = { first: 0, share: 0.25 };
  const [order = []] = ordersOf(curves.length, plan);
  const { runs } = replayOrder(curves, order, { ...plan, rule: 'matched-time', audit });
  const weights = runs.map(({ wanted, aborted }) => {
    if (wanted === null) return 1;
    return aborted ? null : 4;
  });
  expect(weights.filter((weight) => weight === 4).length).toBeGreaterThan(5);
  const whole = (weight: number | null): boolean => weight !== null;
  expect(learned.filter(({ final }) => final !== null).map(({ weight }) => weight)).toEqual(weights.filter(whole));
});
