import { mean } from 'simple-statistics';
import { createRandom } from '../../domain/statistics/random.ts';
import { scoreOf } from '../tasks/lr-knob/calibration.ts';
import { BATCH } from './arms.ts';

/** Mean improvement of each batch of random learning rates, without a model: log-uniform over the range of the knob. */
export function randomMeans(seed: number, updates: number): number[] {
  const random = createRandom(seed);
  const draw = (): number => scoreOf({ lr: 10 ** (-4 + 5 * random.uniform()), seed: 1 + random.below(1e6) });
  return Array.from({ length: updates }, () => mean(Array.from({ length: BATCH }, draw)));
}
