import { sql } from 'drizzle-orm';
import type { Tx } from '../../../connect.ts';

/** Numbers of trials in a block: the trial with number n is in block ⌊(n − 1) / BLOCK⌋. */
export const BLOCK = 512;

/** State of the database that a transaction sees. */
export interface Snapshot {
  /**
   * Run of the server and file of the trials. A restored backup has others, and its rows have the numbers of
   * transactions of the time of the backup.
   */
  origin: string;
  /** Transactions below it have ended. */
  xmin: bigint;
  /** Transactions from it on are not visible. */
  xmax: bigint;
  /** Transactions between the two that had not ended. */
  open: number;
}

/** A block with a row that changed. */
export interface ChangedBlock {
  researchId: string;
  block: number;
}

/** True if a snapshot of the same origin was taken before another one, so that it may see less. */
export const isBefore = (one: Snapshot, other: Snapshot): boolean =>
  one.xmax < other.xmax || (one.xmax === other.xmax && one.open > other.open);

interface Row extends Record<string, unknown> {
  snapshot: string;
  origin: string;
  changed: [researchId: string, block: number][];
}

/**
 * The snapshot of a transaction, and the blocks in which a trial or a call may have changed since an older snapshot. A
 * row that the older snapshot does not show was written by a transaction from its `xmin` on, so no change is missed,
 * however late its transaction commits.
 */
export async function readChanges(
  db: Tx,
  since: Snapshot | null,
): Promise<{ snapshot: Snapshot; changed: ChangedBlock[] }> {
  const { rows } = await db.execute<Row>(sql`
    select pg_current_snapshot()::text as snapshot,
      concat_ws(' ', extract(epoch from pg_postmaster_start_time()), pg_relation_filenode('trials')) as origin,
      ${since === null ? sql`'[]'::json` : changedSince(since)} as changed`);
  const [row] = rows;
  if (!row) throw new Error('Expected one row with the snapshot of the transaction');
  return {
    snapshot: { origin: row.origin, ...parseSnapshot(row.snapshot) },
    changed: row.changed.map(([researchId, block]) => ({ researchId, block })),
  };
}

const changedSince = ({ xmin }: Snapshot) => sql`(
  select coalesce(json_agg(json_build_array(id, block)), '[]') from (
    select research_id as id, (n - 1) / ${BLOCK}::int as block from trials where changed_xid >= ${String(xmin)}::xid8
    union
    select trials.research_id, (trials.n - 1) / ${BLOCK}::int from calls join trials on trials.id = calls.trial_id
    where calls.changed_xid >= ${String(xmin)}::xid8) rows)`;

function parseSnapshot(text: string): Omit<Snapshot, 'origin'> {
  const [xmin = '', xmax = '', open = ''] = text.split(':');
  return { xmin: BigInt(xmin), xmax: BigInt(xmax), open: open === '' ? 0 : open.split(',').length };
}
