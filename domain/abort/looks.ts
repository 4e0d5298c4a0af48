import { hasRecentTimes, lastShare, shareOf } from './share-curve.ts';
import type { AbortConfig, CurvePoint, RunBudget } from './types.ts';

/** Share of the budget of the next look: looks stay on the grid that the limits are made of, whenever lines come. */
export function nextLook(share: number, { burnIn, cadence }: Pick<AbortConfig, 'burnIn' | 'cadence'>): number {
  return share < burnIn ? burnIn : burnIn + cadence * (Math.floor((share - burnIn) / cadence + 1e-9) + 1);
}

/** Whether a run is to be looked at now: its last line is at the next look or past it, and not at its budget's end. */
export function isLookDue(points: readonly CurvePoint[], budget: RunBudget, next: number): boolean {
  const share = lastShare(points, budget);
  return share !== null && share >= next - 1e-9 && share < 1 && hasRecentTimes(points, budget);
}

/** A look at a run: the share of the budget of its last line then, and how many lines it had printed. */
export interface TakenLook {
  share: number;
  seen: number;
}

/** The looks at a run that printed these lines, if each line is read as it comes: at the first one at a look or past it. */
export function listLooks(
  points: readonly CurvePoint[],
  budget: RunBudget,
  config: Pick<AbortConfig, 'burnIn' | 'cadence'>,
): TakenLook[] {
  const looks: TakenLook[] = [];
  let next = config.burnIn;
  points.forEach((point, i) => {
    const share = shareOf(point, budget);
    // Only a line that has a share can make a look due, and none at the budget's end; asked first, since it costs nothing.
    if (!(share >= next - 1e-9 && share < 1) || !isLookDue(points.slice(0, i + 1), budget, next)) return;
    looks.push({ share, seen: i + 1 });
    next = nextLook(share, config);
  });
  return looks;
}
