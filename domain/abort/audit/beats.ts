import { signOf } from '../share-curve.ts';
import type { Direction } from '../types.ts';

/** Whether a run ended well: better than what it was judged by. `difference` is its value less that one, or its sign. */
export const beats = (difference: number, direction: Direction): boolean => signOf(direction) * difference < 0;
