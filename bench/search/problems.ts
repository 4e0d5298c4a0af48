import type { Problem } from './problem.ts';
import { circles } from './problems/circles.ts';
import { digits } from './problems/digits.ts';
import { deceptive, noisy, smooth } from './problems/functions.ts';

export const PROBLEMS: readonly Problem[] = [smooth, noisy, deceptive, digits(), circles];
