import { inArray, sql } from 'drizzle-orm';
import { tallyAborts, type AbortTally, type CarriedFacts, type JudgedRuns } from '../../../domain/abort/audit/tally.ts';
import type { Direction } from '../../../domain/abort/types.ts';
import type { Tx } from '../../connect.ts';
import { taskVersions } from '../../schema.ts';
import { storedTask } from '../../stored-task.ts';
import { readJudged, type Judged } from './read-judged.ts';

/** Ended trials that one statement counts. */
const AT_ONCE = 25_000;

/** Counts so far; later trials are added to them. */
export interface JudgedCount {
  /** Number of ended trials, and the last one of them. */
  ended: number;
  last: { endedAt: string; n: number } | null;
  judged: readonly Judged[];
}

const NOTHING: JudgedCount = { ended: 0, last: null, judged: [] };

/** Adds the trials that ended since `before`; earlier outcomes do not change. */
export async function countJudgedRuns(db: Tx, researchId: string, before: JudgedCount = NOTHING): Promise<JudgedCount> {
  const more = await readJudged(db, { researchId, after: before.last, limit: AT_ONCE });
  if (more.last === null) return before;
  const counted = {
    ended: before.ended + more.ended,
    last: more.last,
    judged: mergeAlike([...before.judged, ...more.judged]),
  };
  return more.ended < AT_ONCE ? counted : countJudgedRuns(db, researchId, counted);
}

/**
 * Early-abort tally of a research; null if no run was judged and no curve was carried. Each run counts by its own task
 * version. `versions`: task versions that were read before, which never change; it adds those that it reads.
 */
export async function readAbortTally(
  db: Tx,
  { researchId, versions }: { researchId: string; versions: TallyVersions },
  { judged }: JudgedCount,
): Promise<AbortTally | null> {
  const unknown = new Set(judged.map(({ taskHash }) => taskHash).filter((hash) => !versions.has(hash)));
  for (const [hash, version] of await readVersions(db, [...unknown])) versions.set(hash, version);
  return tallyAborts(
    judged.flatMap(({ taskHash, ...runs }) => {
      const version = versions.get(taskHash);
      return version ? [{ ...runs, ...version }] : [];
    }),
    await readCarried(db, researchId),
  );
}

/** Merges entries that differ only in their counts, in an order that depends on nothing else. */
function mergeAlike(judged: readonly Judged[]): Judged[] {
  const alike = new Map<string, Judged>();
  for (const { runs, leftSeconds, ...key } of judged) {
    const name = JSON.stringify(Object.values(key));
    const known = alike.get(name) ?? { ...key, runs: 0, leftSeconds: 0 };
    alike.set(name, { ...known, runs: known.runs + runs, leftSeconds: known.leftSeconds + leftSeconds });
  }
  return [...alike].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, runs]) => runs);
}

/** Facts about a research's carried curves, which Postgres counts in place. */
async function readCarried(db: Tx, researchId: string): Promise<CarriedFacts | null> {
  const rows = await db.execute<CarriedFacts & Record<string, unknown>>(sql`
    select jsonb_array_length(curves) as curves, researches, tested_at is not null as tested, dropped
    from carried_curves where research_id = ${researchId}`);
  return rows.rows[0] ?? null;
}

type Version = Pick<JudgedRuns, 'target'> & { direction: Direction };
export type TallyVersions = Map<string, Version>;

async function readVersions(db: Tx, hashes: string[]): Promise<Map<string, Version>> {
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
