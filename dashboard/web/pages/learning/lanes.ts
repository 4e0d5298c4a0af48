import type { Update } from '../../../api/learning.ts';

/** A row of the lineage of versions, the newest on top. */
export interface LaneRow {
  k: number;
  update: Update | null;
  /** The column of its dot; 0 is the line to the version in force. */
  lane: number;
  /** Index of the row of the version that it starts from; null where that is not shown. */
  from: number | null;
}

/**
 * Versions as lines: the one that led to the version in force is the first, each that was left behind has one of its own.
 * The model as it came stands at the bottom where the updates go back that far.
 */
export function lanesOf(updates: readonly Update[], inForce: number): LaneRow[] {
  const byK = new Map(updates.map((update) => [update.k, update]));
  const main = mainLine(byK, inForce);
  const laneOf = new Map<number, number>([[0, 0]]);
  const continued = new Set<number>();
  /** The newest version in each lane: above it the lane is free. */
  const tips = [Infinity];
  const oldest = [...updates].sort((a, b) => a.k - b.k);
  for (const { k, parent } of oldest) {
    const above = parent === null ? undefined : laneOf.get(parent);
    const goesOn = parent !== null && above !== undefined && above > 0 && !continued.has(parent);
    const lane = main.has(k) ? 0 : goesOn ? above : freeLane(tips, parent ?? k);
    laneOf.set(k, lane);
    if (lane > 0) tips[lane] = k;
    if (parent !== null && goesOn) continued.add(parent);
  }
  const newest = [...oldest.reverse().map(({ k }) => k), ...(oldest.some(({ k }) => k === 1) ? [0] : [])];
  const rowOf = new Map(newest.map((k, row) => [k, row]));
  return newest.map((k) => {
    const update = byK.get(k) ?? null;
    const parent = update?.parent ?? null;
    return { k, update, lane: laneOf.get(k) ?? 0, from: parent === null ? null : (rowOf.get(parent) ?? null) };
  });
}

/** The first lane in which nothing stands above a version; the line to the version in force has its own. */
function freeLane(tips: readonly number[], from: number): number {
  const free = tips.findIndex((tip, lane) => lane > 0 && tip <= from);
  return free < 0 ? tips.length : free;
}

/** The version in force and those that it came from. An update that has not begun goes on from the version in force. */
function mainLine(byK: ReadonlyMap<number, Update>, inForce: number): ReadonlySet<number> {
  const main = new Set<number>([inForce]);
  for (
    let update = byK.get(inForce);
    update !== undefined && update.parent !== null && !main.has(update.parent);
    update = byK.get(update.parent)
  )
    main.add(update.parent);
  for (const { k, state } of byK.values()) if (k > inForce && state === 'due') main.add(k);
  return main;
}
