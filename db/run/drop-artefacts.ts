import { sql } from 'drizzle-orm';
import type { Db, Tx } from '../connect.ts';
import { inSearch } from '../trial/in-search.ts';

/** Contents that were removed, or would be; equal contents are stored once and count once. */
export interface Dropped {
  files: number;
  bytes: number;
}

interface Spared {
  /** Number of newest trials of each research whose artefacts stay. */
  last: number;
  olderThanSeconds: number;
}

/** Most contents, and bytes, that one transaction removes: nothing can be stored meanwhile. */
const BATCH = 1000;
const BATCH_BYTES = 256 * 1024 * 1024;

/**
 * Contents of artefacts that nothing needs, by hash. Those of candidates, tasks, kept trials, baselines, young trials
 * and trials without a verdict stay. Candidates that the gate still follows (the lead, former leads, waiting ones) keep
 * theirs, because a later race may keep them. The best run keeps its contents, too: `best --certificate` scores them
 * again. Contents that several trials left are unneeded once all of these trials are.
 */
const unneeded = ({ last, olderThanSeconds }: Spared) => sql`
  with followed as materialized (
    select id as research_id, gate ->> 'leadId' as candidate_id from researches
    union select id, jsonb_array_elements_text(gate -> 'trail') from researches
    union select id, subject ->> 'candidateId' from researches, jsonb_array_elements(gate -> 'subjects') subject
    union select id, waits ->> 'candidateId' from researches, jsonb_array_elements(gate -> 'held') waits),
  single as materialized (
    select distinct on (trials.research_id, task_versions.metric_key) trials.id
    from trials join task_versions on task_versions.hash = trials.task_hash
    where trials.status = 'completed' and trials.trusted and ${inSearch(sql`trials.kind`)}
      and trials.value not in ('NaN', 'Infinity', '-Infinity')
    order by trials.research_id, task_versions.metric_key,
      trials.value * case when task_versions.task #>> '{metric,direction}' = 'maximize' then -1 else 1 end, trials.n)
  select blobs.hash, octet_length(blobs.content) as size from blobs join (
    select artefacts.blob_hash as hash from artefacts
    join trials on trials.id = artefacts.trial_id join researches on researches.id = trials.research_id
    group by artefacts.blob_hash
    having bool_and(trials.id not in (select id from single) and trials.status is not null and trials.kind <> 'baseline'
      and (trials.kind in ('confirm', 'remeasure', 'evaluation', 'ablation') or trials.status <> 'completed'
        or (trials.verdict = 'discard' and not exists (select 1 from followed
          where followed.research_id = trials.research_id and followed.candidate_id = trials.candidate_id)))
      and trials.n <= researches.last_n - ${last}::int
      and trials.ended_at < now() - make_interval(secs => ${olderThanSeconds}::float8)
      and not exists (
        select 1 from claims where claims.research_id = trials.research_id and claims.of_trial = trials.n))
  ) old on old.hash = blobs.hash
  where not exists (select 1 from task_files where task_files.blob_hash = blobs.hash)
    and not exists (select 1 from candidates, jsonb_each_text(candidates.files) file where file.value = blobs.hash)`;

/** Counts the contents that {@link dropArtefacts} would remove, for a preview. */
export async function countDroppable(db: Tx, spared: Spared): Promise<Dropped> {
  const found = await db.execute<{ files: number; bytes: number }>(
    sql`select count(*)::int as files, coalesce(sum(size), 0)::float8 as bytes from (${unneeded(spared)}) found`,
  );
  return found.rows[0] ?? { files: 0, bytes: 0 };
}

/** Removes the contents of artefacts that nothing needs; path, hash and size of each artefact stay. */
export async function dropArtefacts(db: Db, spared: Spared): Promise<Dropped> {
  const dropped = { files: 0, bytes: 0 };
  for (;;) {
    const batch = await dropBatch(db, spared);
    dropped.files += batch.files;
    dropped.bytes += batch.bytes;
    if (batch.files === 0) break;
  }
  // Makes the space reusable at once; autovacuum would do it later.
  if (dropped.files > 0) await db.execute(sql`vacuum blobs`);
  return dropped;
}

async function dropBatch(db: Db, spared: Spared): Promise<Dropped> {
  return db.transaction(async (tx) => {
    // Contents are stored and referenced in one transaction. The lock waits for these transactions and delays new ones.
    await tx.execute(sql`set local lock_timeout = '30s'`);
    await tx.execute(sql`lock table blobs in share row exclusive mode`);
    const result = await tx.execute<{ files: number; bytes: number }>(sql`
      with found as (
        select hash, size, sum(size) over (order by hash) - size as before from (${unneeded(spared)}) all_found),
      old as (select hash, size from found where before < ${BATCH_BYTES} order by hash limit ${BATCH}),
      sized as (
        update artefacts set size = old.size from old where artefacts.blob_hash = old.hash and artefacts.size is null),
      gone as (delete from blobs using old where blobs.hash = old.hash returning old.size)
      select count(*)::int as files, coalesce(sum(size), 0)::float8 as bytes from gone`);
    return result.rows[0] ?? { files: 0, bytes: 0 };
  });
}
