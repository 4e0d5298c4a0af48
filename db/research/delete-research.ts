import { sql } from 'drizzle-orm';
import type { Phase } from '../../domain/research/phase.ts';
import type { Db, Tx } from '../connect.ts';
import { isNeededAsBase } from '../learning/policy-bases.ts';
import { readColumn, jobsOf, requireDeletable, StillNeededError } from './still-needed.ts';

/** Rows, contents and files that belonged to a deleted research. */
export interface Deleted {
  trials: number;
  /** Contents that nothing else uses: of artefacts, candidates and versions of its task. */
  blobs: { files: number; bytes: number };
  /** Folder names of its checkpoints, which the caller removes. */
  stepKeys: string[];
  /** Placements of its runs, whose directories may still exist. */
  runs: { host: string; jobId: string; placement: number }[];
}

/** Longest wait for transactions that store contents. */
const LOCK_TIMEOUT = '30s';

/**
 * Deletes a research with all rows that are its alone, in one transaction. Candidates, versions of its task and
 * contents that other researches use stay. `phase`: the phase that the caller read. Throws StillNeededError. Undefined
 * if there is no such research.
 */
export async function deleteResearch(
  db: Db,
  { id, phase }: { id: string; phase: Phase },
): Promise<Deleted | undefined> {
  return db.transaction(async (tx) => {
    const found = await tx.execute<{ phase: Phase }>(sql`select phase from researches where id = ${id} for update`);
    const [row] = found.rows;
    if (!row) return undefined;
    if (row.phase !== phase)
      throw new StillNeededError(`${id} is ${row.phase} now: somebody started it again. Nothing was deleted.`);
    await requireDeletable(tx, id);
    const stepKeys = await readColumn(tx, checkpointsAlone(id));
    const runs = (
      await tx.execute<Deleted['runs'][number] & Row>(sql`
      select host, trial_id as "jobId", placement from runs where trial_id in (${jobsOf(id)})`)
    ).rows;
    await tx.execute(sql`create temporary table its_blobs on commit drop as
      select blob_hash as hash from artefacts where trial_id in (${jobsOf(id)})`);
    await tx.execute(sql`create temporary table its_candidates on commit drop as
      select candidate_id as id from trials where research_id = ${id} and candidate_id is not null
      union select proposed_id from trials where research_id = ${id} and proposed_id is not null
      union select parent_id from trials where research_id = ${id} and parent_id is not null
      union select candidate_id from wanted_runs where research_id = ${id}
      union select baseline_candidate from researches where id = ${id}`);
    await tx.execute(sql`create temporary table its_tasks on commit drop as
      select task_hash as hash from researches where id = ${id}
      union select task_hash from trials where research_id = ${id}`);
    const trials = await deleteRows(tx, id);
    return { trials, blobs: await deleteShared(tx), stepKeys, runs };
  });
}

/**
 * Folder names of checkpoints that no other research needs: those that the research has made, and those with which it
 * began and whose research was deleted.
 */
const checkpointsAlone = (id: string) => sql`
  with its as (
    select step_key as v from updates where research_id = ${id} and step_key is not null
    union select step_key from policy_bases where research_id = ${id} and step_key is not null)
  select v from its where not ${isNeededAsBase(sql`its.v`, { except: id })}
    and not exists (select 1 from updates other where other.step_key = its.v and other.research_id <> ${id})`;

type Row = Record<string, unknown>;

/** Deletes the rows of the research alone; returns the number of its trials. */
async function deleteRows(tx: Tx, id: string): Promise<number> {
  const jobs = jobsOf(id);
  for (const table of ['points', 'artefacts', 'calls', 'call_parts', 'runs', 'rollouts'])
    await tx.execute(sql`delete from ${sql.identifier(table)} where trial_id in (${jobs})`);
  await tx.execute(sql`delete from outputs where job_id in (${jobs})`);
  await tx.execute(sql`delete from restarts where workflow_id = ${id} or workflow_id in (${jobs})`);
  const tables = [
    'arms',
    'carried_curves',
    'memories',
    'niches',
    'nodes',
    'observations',
    'rollout_groups',
    'policy_bases',
    'updates',
    'policies',
    'claims',
    'held_out_scores',
    'wanted_runs',
    'notes',
    'alerts',
    'messages',
    'events',
    'jobs',
  ];
  for (const table of tables) await tx.execute(sql`delete from ${sql.identifier(table)} where research_id = ${id}`);
  await tx.execute(sql`
    delete from message_deliveries where not exists (select 1 from messages where delivery = message_deliveries.id)`);
  // An entry of several researches stays for the others.
  await tx.execute(sql`delete from attention_entries where researches = array[${id}]::text[]`);
  await tx.execute(sql`
    update attention_entries set researches = array_remove(researches, ${id}) where ${id} = any(researches)`);
  const deleted = await tx.execute(sql`delete from trials where research_id = ${id}`);
  await tx.execute(sql`delete from researches where id = ${id}`);
  return deleted.rowCount ?? 0;
}

/** Deletes shared candidates, task versions and contents that nothing uses any more. */
async function deleteShared(tx: Tx): Promise<Deleted['blobs']> {
  // Contents are stored and referenced in one transaction. The lock waits for these transactions and delays new ones.
  await tx.execute(sql.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'`));
  await tx.execute(sql`lock table blobs in share row exclusive mode`);
  await tx.execute(sql`
    with gone as (
      delete from candidates where id in (select id from its_candidates)
        and not exists (select 1 from trials where trials.candidate_id = candidates.id)
        and not exists (select 1 from trials where trials.proposed_id = candidates.id)
        and not exists (select 1 from trials where trials.parent_id = candidates.id)
        and not exists (select 1 from researches where researches.baseline_candidate = candidates.id)
        and not exists (select 1 from claims where claims.candidate_id = candidates.id)
        and not exists (select 1 from wanted_runs where wanted_runs.candidate_id = candidates.id)
        and not exists (select 1 from rollout_groups where rollout_groups.parent_id = candidates.id)
      returning files)
    insert into its_blobs select file.value from gone cross join lateral jsonb_each_text(gone.files) file`);
  await tx.execute(sql`
    delete from its_tasks where exists (select 1 from researches where researches.task_hash = its_tasks.hash)
      or exists (select 1 from trials where trials.task_hash = its_tasks.hash)
      or exists (select 1 from jobs where jobs.task_hash = its_tasks.hash)`);
  await tx.execute(sql`
    with gone as (delete from task_files where task_hash in (select hash from its_tasks) returning blob_hash)
    insert into its_blobs select blob_hash from gone`);
  await tx.execute(sql`delete from task_versions where hash in (select hash from its_tasks)`);
  const { rows } = await tx.execute<Deleted['blobs'] & Row>(sql`
    with gone as (
      delete from blobs where hash in (select hash from its_blobs)
        and not exists (select 1 from artefacts where artefacts.blob_hash = blobs.hash)
        and not exists (select 1 from task_files where task_files.blob_hash = blobs.hash)
        and hash not in (select file.value from candidates cross join lateral jsonb_each_text(candidates.files) file)
      returning octet_length(content) as size)
    select count(*)::int as files, coalesce(sum(size), 0)::float8 as bytes from gone`);
  return rows[0] ?? { files: 0, bytes: 0 };
}
