import type pg from 'pg';

/** One update of a research: means over its batch, in units of the task's metric. */
export interface Update {
  k: number;
  state: string;
  /** Mean value. An answer counts the mean of its candidate's runs, a failed run or an answer without a run −1. */
  mean: number;
  /** Share of valid answers. */
  validShare: number;
  /** Mean value of the valid answers; null without any. */
  validMean: number | null;
  entropy: number | null;
  /** Alarms that fired (`gates` of `search.update`), each as metric and action. */
  alarms: string[];
  /** Seconds of the parts of an update. */
  latency: {
    /** Last outcome of the batch → start of the step. */
    begin: number;
    /** Start → end of the step. */
    step: number;
    /** End of the step → first sample of the new version; null if there is none. */
    first: number | null;
  };
  /** Seconds that the trainer reports, by part. */
  parts: Record<string, number> | null;
}

/** Reads the ended updates of a research, in their order. */
export async function readUpdates(db: pg.Pool, researchId: string): Promise<Update[]> {
  const { rows } = await db.query<Update & { begin: number; step: number; first: number | null }>(
    `select u.k, u.state, batch.mean, batch."validShare", batch."validMean", (u.metrics->>'entropy')::float8 as entropy,
       u.seconds as parts,
       coalesce((
         select jsonb_agg((f->'gate'->>'metric') || ' ' || (f->'gate'->>'then')) from jsonb_array_elements(u.fired) f
       ), '[]') as alarms,
       extract(epoch from u.begun_at - u.due_at)::float8 as begin,
       extract(epoch from u.ended_at - u.begun_at)::float8 as step,
       (select extract(epoch from min(r.sampled_at) - u.ended_at)::float8 from rollouts r
        where r.research_id = u.research_id and r.k = u.k + 1) as first
     from updates u, lateral (
       select avg(coalesce(runs.mean, -1)) as mean, avg((t.status <> 'rejected')::int)::float8 as "validShare",
         avg(coalesce(runs.mean, -1)) filter (where t.status <> 'rejected') as "validMean"
       from trials t left join lateral (
         select avg(coalesce(s.value, -1)) as mean from trials s
         where s.research_id = t.research_id and s.candidate_id = t.candidate_id and s.kind in ('search', 'baseline')
           and s.status in ('completed', 'aborted', 'crashed', 'timed_out', 'diverged')) runs on t.status <> 'rejected'
       where t.id in (select jsonb_array_elements_text(u.batch))) batch
     where u.research_id = $1 and u.state <> 'due' order by u.k`,
    [researchId],
  );
  return rows.map(({ begin, step, first, ...row }) => ({ ...row, latency: { begin, step, first } }));
}

/**
 * State of one repeated research. `finished`: the research has `updates` updates, or an alarm has halted its learning.
 * `short`: the research ended with fewer updates, and another start continues it. `open`: neither.
 */
export async function readRepeatState(
  db: pg.Pool,
  researchId: string,
  updates: number,
): Promise<'open' | 'finished' | 'short'> {
  const { rows } = await db.query<{ ended: boolean; due: number; done: number; halted: boolean }>(
    `select r.phase in ('stopped', 'failed') as ended, coalesce(p.halted is not null, false) as halted,
       (select count(*)::int from updates u where u.research_id = r.id and u.state = 'due') as due,
       (select count(*)::int from updates u where u.research_id = r.id and u.state <> 'due') as done
     from researches r left join policies p on p.research_id = r.id where r.id = $1`,
    [researchId],
  );
  const [row] = rows;
  if (row === undefined) return 'open';
  if (row.halted || row.done >= updates) return 'finished';
  return row.ended && row.due === 0 ? 'short' : 'open';
}
