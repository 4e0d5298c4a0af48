import type { AbortDecision } from './types.ts';

/** The interval between two ends in any order; null if an end is not finite (JSON has no infinity). */
export const intervalOf = (a: number, b: number): AbortDecision['interval'] =>
  Number.isFinite(a) && Number.isFinite(b) ? { low: Math.min(a, b), high: Math.max(a, b) } : null;
