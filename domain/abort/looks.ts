import type { AbortConfig } from './types.ts';

/** Share of the budget of the next look: looks stay on the grid that the limits are made of, whenever lines come. */
export function lookAfter(share: number, { burnIn, cadence }: Pick<AbortConfig, 'burnIn' | 'cadence'>): number {
  return share < burnIn ? burnIn : burnIn + cadence * (Math.floor((share - burnIn) / cadence + 1e-9) + 1);
}
