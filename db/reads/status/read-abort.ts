import { inArray, sql } from 'drizzle-orm';
import { tally, type AbortTally, type JudgedRuns } from '../../../domain/abort/audit/tally.ts';
import type { Direction } from '../../../domain/abort/types.ts';
import type { Tx } from '../../connect.ts';
import { FAILED } from '../../run/abort.ts';
import { taskVersions } from '../../schema.ts';
import { storedTask } from '../../stored-task.ts';
import type { ResearchView } from '../read-research.ts';

type Judged = Omit<JudgedRuns, 'direction' | 'target'> & { taskHash: string };

/** What early abort has done in a research; null where no run was judged. Each run counts by its own task version. */
export async function readAbort(db: Tx, { id }: Pick<ResearchView, 'id'>): Promise<AbortTally | null> {
  const judged = await readJudged(db, id);
  const versions = await readVersions(
    db,
    judged.map(({ taskHash }) => taskHash),
  );
  return tally(
    judged.flatMap(({ taskHash, ...runs }) => {
      const version = versions.get(taskHash);
      return version ? [{ ...runs, ...version }] : [];
    }),
  );
}

/** Ended runs that a rule looked at, counted where they are: there may be tens of thousands. */
async function readJudged(db: Tx, researchId: string): Promise<Judged[]> {
  const rows = await db.execute<Judged & Record<string, unknown>>(sql`
    with judged as (
      select trials.task_hash, trials.value, (runs.abort->>'abort')::boolean as wanted,
        (runs.abort->>'audited')::boolean as audited, (runs.abort->>'auditProbability')::float8 as probability,
        coalesce(runs.abort->>'judgedBy', runs.abort->>'incumbent')::float8 as incumbent, (runs.abort->>'share')::float8 as share,
        (runs.abort->>'elapsed')::float8 as elapsed, ${FAILED} as failed
      from trials join runs on runs.trial_id = trials.id and runs.placement = trials.placement
      where trials.research_id = ${researchId} and trials.status is not null and runs.abort is not null)
    select task_hash as "taskHash", wanted, audited, probability as "auditProbability", failed,
      incumbent is not null as measured,
      case when value < incumbent then -1 when value > incumbent then 1 when value = incumbent then 0 end as side,
      count(*)::int as runs,
      coalesce(sum(elapsed * (1 / share - 1)) filter (where wanted and not audited and share > 1e-9 and share < 1), 0)
        as "leftSeconds"
    from judged group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7`);
  return rows.rows;
}

async function readVersions(db: Tx, hashes: string[]): Promise<Map<string, { direction: Direction; target: number }>> {
  if (hashes.length === 0) return new Map();
  const { hash, yaml, task } = taskVersions;
  const rows = await db.select({ hash, yaml, task }).from(taskVersions).where(inArray(hash, hashes));
  return new Map(
    rows.map((row) => {
      const { metric, abort } = storedTask(row);
      return [row.hash, { direction: metric.direction, target: abort.errorTarget }];
    }),
  );
}
