import { signOf } from '../share-curve.ts';
import type { Direction } from '../types.ts';

/** True if a run ended well: better than the value to beat. `difference` is its value less that one, or the sign. */
export const beats = (difference: number, direction: Direction): boolean => signOf(direction) * difference < 0;
