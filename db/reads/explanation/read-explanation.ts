import { sql } from 'drizzle-orm';
import { explain, type Explanation, type Scored } from '../../../domain/explanation/explanation.ts';
import type { TrialStatus } from '../../../domain/trial.ts';
import type { Tx } from '../../connect.ts';
import type { ResearchView } from '../read-research.ts';

/** Most candidates that an explanation reads. */
const MOST_CANDIDATES = 2000;

export interface ResearchExplanation extends Explanation {
  metric: { name: string; direction: 'minimize' | 'maximize'; unit: string | null };
  candidates: {
    /** Candidates with an outcome under the current version of the task. */
    total: number;
    /** Candidates with a score and with knobs that were read. */
    scored: number;
    /** Candidates that the explanation used. */
    used: number;
    /** Candidates without a score, by their last outcome. */
    withoutScore: Partial<Record<TrialStatus, number>>;
    /** Candidates with an outcome under an older version of the task, which the explanation leaves out. */
    ofOlderTasks: number;
  };
}

/**
 * The influence of the knobs of a research's current task version. If it has more than `most` scored candidates (2,000
 * by default), those with the smallest ids are read. An id is a hash, so that these candidates are a random sample.
 */
export async function readExplanation(
  db: Tx,
  { research, most = MOST_CANDIDATES }: { research: ResearchView; most?: number },
): Promise<ResearchExplanation> {
  const { task, taskHash } = research;
  const key = sql`research_id = ${research.id} and task_hash = ${taskHash}`;
  const isUsable = sql`value is not null and knobs is not null and value not in ('NaN', 'Infinity', '-Infinity')`;
  const { rows: scored } = await db.execute<Scored & Record<string, unknown>>(sql`
    select knobs, value from observations where ${key} and ${isUsable}
    order by candidate_id limit ${most}`);
  const { rows: outcomes } = await db.execute<{ isScored: boolean; outcome: TrialStatus; n: number }>(sql`
    select (${isUsable}) as "isScored", outcome, count(*)::int as n from observations
    where ${key} and seq is not null group by 1, 2`);
  const { rows: older } = await db.execute<{ n: number }>(sql`
    select count(*)::int as n from observations
    where research_id = ${research.id} and task_hash <> ${taskHash} and seq is not null`);
  const sum = (rows: readonly { n: number }[]): number => rows.reduce((all, { n }) => all + n, 0);
  const failed = outcomes.filter(({ isScored }) => !isScored);
  const { name, direction, unit } = task.metric;
  return {
    ...explain(task.knobs, { scored, direction }),
    metric: { name, direction, unit: unit ?? null },
    candidates: {
      total: sum(outcomes),
      scored: sum(outcomes) - sum(failed),
      used: scored.length,
      withoutScore: Object.fromEntries(failed.map(({ outcome, n }) => [outcome, n])),
      ofOlderTasks: sum(older),
    },
  };
}
