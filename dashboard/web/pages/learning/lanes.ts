import type { Update } from '../../../api/learning.ts';

/** A row of the lineage of versions; the newest version is on top. */
export interface LaneRow {
  k: number;
  /** Null for version 0. */
  update: Update | null;
  /** Column of the version's dot; 0 is the line to the version in force. */
  lane: number;
  /** Index of the row of the parent version; null if it is not shown. */
  from: number | null;
}

/**
 * Arranges versions in lanes. Lane 0 has the version in force and its ancestors; each branch that a rollback abandoned
 * has a lane of its own. Version 0 is the last row if the updates reach back to version 1.
 */
export function lanesOf(updates: readonly Update[], inForce: number): LaneRow[] {
  const byK = new Map(updates.map((update) => [update.k, update]));
  const main = mainLine(byK, inForce);
  const laneOf = new Map<number, number>([[0, 0]]);
  const continued = new Set<number>();
  /** The newest version in each lane. Above that version, the lane is free. */
  const tips = [Infinity];
  const oldest = [...updates].sort((a, b) => a.k - b.k);
  for (const { k, parent } of oldest) {
    const above = parent === null ? undefined : laneOf.get(parent);
    const continues = parent !== null && above !== undefined && above > 0 && !continued.has(parent);
    let lane = 0;
    if (!main.has(k)) lane = continues ? above : freeLane(tips, parent ?? k);
    laneOf.set(k, lane);
    if (lane > 0) tips[lane] = k;
    if (parent !== null && continues) continued.add(parent);
  }
  const newest = [...oldest.reverse().map(({ k }) => k), ...(oldest.some(({ k }) => k === 1) ? [0] : [])];
  const rowOf = new Map(newest.map((k, row) => [k, row]));
  return newest.map((k) => {
    const update = byK.get(k) ?? null;
    const parent = update?.parent ?? null;
    return { k, update, lane: laneOf.get(k) ?? 0, from: parent === null ? null : (rowOf.get(parent) ?? null) };
  });
}

/** The first lane but lane 0 that is free above the version `from`. */
function freeLane(tips: readonly number[], from: number): number {
  const free = tips.findIndex((tip, lane) => lane > 0 && tip <= from);
  return free < 0 ? tips.length : free;
}

/** Versions of lane 0: the version in force, its ancestors, and updates that are due, which will continue from it. */
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
