import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { calls } from '../schema.ts';

/** Number of calls of a trial's proposer that were answered. */
export const countAnswered = (db: Tx, trialId: string): Promise<number> =>
  db.$count(calls, and(eq(calls.trialId, trialId), sql`${calls.answeredAt} is not null`));
