import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/** Numbers of trials under an earlier task version, with the unit of their values; null if the version names none. */
export async function readOldUnits(
  db: Tx,
  input: { researchId: string; taskHash: string },
): Promise<Map<number, string | null>> {
  const found = await db.execute<{ n: number; unit: string | null }>(sql`
    select trials.n, task_versions.task -> 'metric' ->> 'unit' as unit
    from trials join task_versions on task_versions.hash = trials.task_hash
    where trials.research_id = ${input.researchId} and trials.task_hash <> ${input.taskHash}`);
  return new Map(found.rows.map(({ n, unit }) => [n, unit]));
}
