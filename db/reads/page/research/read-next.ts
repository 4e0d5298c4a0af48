import { sql } from 'drizzle-orm';
import type { TrialKind } from '../../../../domain/trial.ts';
import { describeNext } from '../../../../view/page/research/describe-next.ts';
import type { StatusView } from '../../../../view/status.ts';
import type { Tx } from '../../../connect.ts';

/** The next steps of a research, in sentences. `end`: the limit that is reached first, in words. */
export async function readNext(db: Tx, { status, end }: { status: StatusView; end: string | null }): Promise<string[]> {
  return describeNext(status, { wanted: await readWanted(db, status.workflowId), end });
}

/** Numbers of requested runs without a trial number, by kind. */
async function readWanted(db: Tx, researchId: string): Promise<Partial<Record<TrialKind, number>>> {
  const { rows } = await db.execute<{ kind: TrialKind; n: number }>(
    sql`select kind, count(*)::int as n from wanted_runs
      where research_id = ${researchId} and n is null group by kind order by kind`,
  );
  return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]));
}
