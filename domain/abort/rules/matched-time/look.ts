import type { AbortConfig } from '../../types.ts';
import type { Regression } from './regression.ts';
import { GRID } from './state.ts';

/** One look at a run: its value `x` at fortieth `g` of the budget, and the final `y` to beat, both signed. */
export interface Look {
  g: number;
  at: Regression;
  x: number;
  y: number;
  strictness: number;
}

export interface TestResult {
  abort: boolean;
  /** Completes "it is …"; `target` names a run that ends as well as the incumbent. */
  describe: (target: string) => string;
}

/** The grid of looks: indices of the fortieths from burn-in to the last look before the end. */
export function lookGrid({ burnIn, cadence }: Pick<AbortConfig, 'burnIn' | 'cadence'>): number[] {
  const looks = new Set<number>();
  for (let share = burnIn; share < 1 - 1e-9; share += cadence) looks.add(Math.round(share * GRID));
  return [...looks].filter((g) => g < GRID);
}
