import { signOf } from '../share-curve.ts';
import type { Direction } from '../types.ts';

/**
 * True if a run ended well: better than the value to beat. `difference` is the run's value minus the value to beat, or
 * only its sign.
 */
export const beats = (difference: number, direction: Direction): boolean => signOf(direction) * difference < 0;
