import { createRandom } from '../../../domain/statistics/random.ts';
import { DEFAULT_ABORT, type AbortConfig, type CurvePoint, type Direction } from '../../../domain/abort/types.ts';

export const STEPS = 100;
export const BUDGET = { kind: 'steps', total: STEPS } as const;

export const configFor = (direction: Direction): AbortConfig => ({ ...DEFAULT_ABORT, direction });

/** A falling curve that ends at `final`, up to the noise, with one point a step. */
export function fallingTo(
  final: number,
  options: { noise?: number; seed?: number; until?: number; sign?: 1 | -1 } = {},
): CurvePoint[] {
  const { noise = 0, seed = 1, until = STEPS, sign = 1 } = options;
  const random = createRandom(seed);
  return Array.from({ length: until }, (_, i) => {
    const step = i + 1;
    const value = final + 2 * ((step / STEPS) ** -0.5 - 1) + noise * random.normal();
    return { step, elapsed: step / 10, value: sign * value };
  });
}
