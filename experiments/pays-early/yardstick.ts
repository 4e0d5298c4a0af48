import { signOf } from '../../domain/abort/share-curve.ts';
import { ordersOf } from '../../domain/abort/replay/replay-order.ts';
import type { ReplayCurve } from '../../domain/abort/replay/types.ts';
import { yardstick } from '../../bench/abort/yardstick.ts';
import type { CurveSet } from './sets.ts';
import type { Sums } from './sums.ts';

/** The plain regression of the yardstick over first researches of the same runs; lower is better there, so scores are turned. */
export function plain(set: CurveSet, repeats: number, z: number): Sums {
  const curves = set.curves.map((curve) => turned(curve, signOf(set.direction)));
  const sums = { cases: 0, hits: 0, whole: 0, used: 0 };
  for (const order of ordersOf(curves.length, { repeats: repeats + 1, seed: 1 }).slice(1)) {
    const drawn = order.slice(0, set.trials).flatMap((index) => curves[index] ?? []);
    const row = yardstick(drawn, { kind: 'regression', z }, { repeats: 1, seed: 1 });
    sums.cases += row.wouldBeIncumbents;
    sums.hits += Math.round(row.falseAborts * row.wouldBeIncumbents);
    sums.whole += drawn.length;
    sums.used += drawn.length / row.gain;
  }
  return sums;
}

const turned = (curve: ReplayCurve, sign: 1 | -1): ReplayCurve => ({
  ...curve,
  final: sign * curve.final,
  points: curve.points.map((point) => ({ ...point, value: sign * point.value })),
});
