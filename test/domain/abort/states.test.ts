import { describe, expect, it } from 'vitest';
import { ABORT_RULES } from '../../../domain/abort/table.ts';
import { openRule, type RunningRule } from '../../../domain/abort/rules.ts';
import type { AbortDecision, CurvePoint } from '../../../domain/abort/types.ts';
import { createRandom } from '../../../domain/statistics/random.ts';
import { BUDGET, configFor, fallingTo, STEPS } from './support.ts';

const RESEARCHES = 12;
const RUNS = 40;
const ODD = [Number.NaN, Infinity, -Infinity, Number.MAX_VALUE, -Number.MAX_VALUE, 1e300, -1e300, 5e-324, 0, -0];

type Random = ReturnType<typeof createRandom>;

const oddOr = (random: Random, chance: number, usual: number): number =>
  random.uniform() < chance ? (ODD[random.below(ODD.length)] ?? usual) : usual;

/** A curve in which none, some, or all of the values are absurd or not finite. */
function oddCurve(random: Random): CurvePoint[] {
  const chance = [0, 0, 0.05, 0.5, 1][random.below(5)] ?? 0;
  const points = fallingTo(1 + random.uniform(), { noise: 0.05, seed: random.below(1e6) });
  const scale = oddOr(random, 0.1, 1);
  return points.map((point) => ({ ...point, value: oddOr(random, chance, point.value * scale) }));
}

const throughJson = (rule: RunningRule): RunningRule =>
  openRule(rule.name, configFor('minimize'), JSON.parse(JSON.stringify(rule.state)) as unknown);

const asStored = (decision: AbortDecision): string => JSON.stringify(decision);

describe.each(ABORT_RULES)('%s', (name) => {
  it('decides alike by a state that went through JSON, whatever curves it has learned', () => {
    for (let seed = 1; seed <= RESEARCHES; seed += 1) {
      const random = createRandom(seed);
      let rule = openRule(name, configFor('minimize'));
      for (let run = 0; run < RUNS; run += 1) {
        const points = oddCurve(random);
        const input = {
          points: points.slice(0, 1 + random.below(STEPS)),
          budget: BUDGET,
          incumbent: random.below(5) === 0 ? null : oddOr(random, 0.1, 1.2),
          run: `r${run}`,
        };
        const [direct, again] = [rule.decide(input), throughJson(rule).decide(input)];
        expect(asStored(again.decision)).toBe(asStored(direct.decision));
        rule = direct.rule.learn({ points, budget: BUDGET, final: oddOr(random, 0.2, 1 + random.uniform()) });
      }
      expect(JSON.stringify(rule.state, numbersAsText)).not.toMatch(/Infinity|NaN/);
    }
  });
});

function numbersAsText(_: string, value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}
