import type { Db } from '../../../db/connect.ts';
import { points, runs, type trials } from '../../../db/schema.ts';
import type { AbortRecord } from '../../../domain/abort/record.ts';
import type { CurvePoint } from '../../../domain/abort/types.ts';
import { trialRow, storeTrials } from '../../cli/support/lineage.ts';

/** The record of a rule on a run that it let go on. */
export const abortRecord = (change: Partial<AbortRecord> = {}): AbortRecord => ({
  rule: 'matched-time',
  abort: false,
  audited: false,
  auditProbability: null,
  share: 0.95,
  forecast: null,
  interval: null,
  reason: '',
  incumbent: 1,
  strictness: 1,
  elapsed: 95,
  ...change,
});

/** The record of a rule that wants to stop a run at half its budget. `audited`: the run went on. */
export const abortWish = (audited: boolean): AbortRecord =>
  abortRecord({ abort: true, audited, auditProbability: audited ? 1 : 0, share: 0.5, elapsed: 50 });

type Ended = Partial<typeof trials.$inferInsert> & { abort?: AbortRecord; curve?: readonly CurvePoint[] };

/** Stores an ended search trial with its run and curve. By default it ended `n` seconds into a day. */
export async function insertEnded(db: Db, [researchId, n]: [string, number], ended: Ended = {}): Promise<void> {
  const { abort, curve = [], ...more } = ended;
  const endedAt = new Date(Date.UTC(2026, 10, 1, 0, 0, n));
  const row = trialRow(researchId, n, { status: 'completed', value: 2, endedAt, ...more });
  const key = { jobId: row.id, placement: row.placement ?? 0 };
  await storeTrials(db, row);
  await db.insert(runs).values({ ...key, host: 'h', slotId: 's', fence: 1, ...(abort && { abort }) });
  if (curve.length > 0) await db.insert(points).values(curve.map((point, seq) => ({ ...key, seq, ...point })));
}
