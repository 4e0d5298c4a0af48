import { sql } from 'drizzle-orm';
import { finiteOrNull } from '../../../../domain/number.ts';
import type { Tx } from '../../../connect.ts';
import { finite } from '../finite.ts';
import { versionsAlike } from '../metric.ts';

/** Means of the scored runs of a trial's parent and of the unmodified version; null where none was scored. */
export interface Compared {
  parentValue: number | null;
  baselineValue: number | null;
}

/** Runs that were measured by the metric of the trial's version of the task: others say something else. */
export async function readCompared(
  db: Tx,
  of: { researchId: string; taskHash: string; parentId: string | null; baselineCandidate: string },
): Promise<Compared> {
  const mean = (candidateId: string | null) => sql`(
    select avg(${finite(sql`trials.value`)}) from trials where trials.research_id = ${of.researchId} and trials.candidate_id = ${candidateId}
      and trials.status = 'completed' and trials.task_hash in ${versionsAlike(of.taskHash)})`;
  const { rows } = await db.execute<Record<keyof Compared, number | null>>(
    sql`select ${mean(of.parentId)} as "parentValue", ${mean(of.baselineCandidate)} as "baselineValue"`,
  );
  const { parentValue = null, baselineValue = null } = rows[0] ?? {};
  return { parentValue: finiteOrNull(parentValue), baselineValue: finiteOrNull(baselineValue) };
}
