import { sql } from 'drizzle-orm';
import type { Pulse } from '../../../view/pulse.ts';
import type { Tx } from '../../connect.ts';
import { readBeatAge } from '../../worker/beats.ts';

/** Age of the newest beat of a worker, and if a research needs one. */
export async function readPulse(db: Tx): Promise<Omit<Pulse, 'temporal'>> {
  const { rows } = await db.execute<{ needed: boolean }>(
    sql`select exists (select 1 from researches where phase not in ('stopped', 'failed')) as needed`,
  );
  return { beatSeconds: await readBeatAge(db), needed: rows[0]?.needed ?? false };
}
