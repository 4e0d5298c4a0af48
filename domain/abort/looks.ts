import { hasRecentTimes, lastShare, shareOf } from './share-curve.ts';
import type { AbortConfig, CurvePoint, RunBudget } from './types.ts';

/** Share of the budget at the next look. Looks stay on the grid that the limits assume, whenever lines arrive. */
export function nextLook(share: number, { burnIn, cadence }: Pick<AbortConfig, 'burnIn' | 'cadence'>): number {
  return share < burnIn ? burnIn : burnIn + cadence * (Math.floor((share - burnIn) / cadence + 1e-9) + 1);
}

/** True if a look is due: the last line is at or past the next look, before the budget's end, and its time is known. */
export function isLookDue(points: readonly CurvePoint[], budget: RunBudget, next: number): boolean {
  const share = lastShare(points, budget);
  return share !== null && share >= next - 1e-9 && share < 1 && hasRecentTimes(points, budget);
}

/** A look at a run: the share of the budget at its last line, and the number of lines printed so far. */
export interface TakenLook {
  share: number;
  seen: number;
}

/** Lists the looks at a run whose lines are read one by one: each at the first line at or past a grid point. */
export function listLooks(
  points: readonly CurvePoint[],
  budget: RunBudget,
  config: Pick<AbortConfig, 'burnIn' | 'cadence'>,
): TakenLook[] {
  const looks: TakenLook[] = [];
  let next = config.burnIn;
  points.forEach((point, i) => {
    const share = shareOf(point, budget);
    // The cheap test goes first: only a line with a share before the budget's end can make a look due.
    if (!(share >= next - 1e-9 && share < 1) || !isLookDue(points.slice(0, i + 1), budget, next)) return;
    looks.push({ share, seen: i + 1 });
    next = nextLook(share, config);
  });
  return looks;
}
