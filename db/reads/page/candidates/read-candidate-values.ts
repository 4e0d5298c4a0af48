import { sql, type SQL } from 'drizzle-orm';
import type { CandidateNumber, CandidateRange } from '../../../../view/page/candidate-columns.ts';
import type { Tx } from '../../../connect.ts';
import type { ResearchView } from '../../read-research.ts';
import { candidateCondition, numberOfCandidate } from './candidate-numbers.ts';

/** Numbers of all candidates, by index. */
export interface CandidateValues {
  /** Number of the trial that proposed the candidate, else of its first one. */
  n: number[];
  /** The requested numbers, each by candidate; null: the candidate has none. */
  values: (number | null)[][];
}

/**
 * Numbers of all candidates with an outcome under the present task that lie in the ranges. The statement reads each
 * trial once, so its cost grows with the trials: a page of rows must not need it.
 */
export async function readCandidateValues(
  db: Tx,
  research: ResearchView,
  { numbers, ranges }: { numbers: readonly CandidateNumber[]; ranges: readonly CandidateRange[] },
): Promise<CandidateValues> {
  const { id, taskHash } = research;
  const scope = { candidate: sql`o`, researchId: id };
  const means = numbers.map((number, at) => ({ at, mean: number.kind === 'metric' ? numberOf(number.name) : null }));
  const columns = means.flatMap(({ at, mean }) =>
    mean === null ? [] : [sql`avg(${nameOf(at)}) filter (where abs(${nameOf(at)}) < 1e100) as ${nameOf(at)}`],
  );
  const ofTrial = means.flatMap(({ at, mean }) => (mean === null ? [] : [sql`${mean} as ${nameOf(at)}`]));
  // `offset 0` makes Postgres read each number once, and not once for the mean and once for its filter.
  const trials = sql`select ${sql.join([sql`candidate_id, n, kind`, ...ofTrial], sql`, `)} from trials
    where research_id = ${id} offset 0`;
  const values = numbers.map((number, at) => {
    const value = number.kind === 'metric' ? sql`measured.${nameOf(at)}` : numberOfCandidate(number, scope);
    return sql`coalesce(case when ${value} between '-1e300' and '1e300' then ${value}::text end, '')`;
  });
  const { rows } = await db.execute<{ lines: string | null }>(sql`
    with measured as (
      select ${sql.join(
        [
          sql`candidate_id`,
          sql`coalesce(min(n) filter (where kind in ('search', 'injected')), min(n)) as n`,
          ...columns,
        ],
        sql`, `,
      )}
      from (${trials}) trial group by candidate_id)
    select string_agg(concat_ws(' ', ${sql.join([sql`measured.n`, ...values], sql`, `)}), ',') as lines
    from observations o join measured on measured.candidate_id = o.candidate_id
    where o.research_id = ${id} and o.task_hash = ${taskHash} and o.seq is not null
      and ${candidateCondition(ranges, scope)}`);
  const lines = rows[0]?.lines?.split(',').map((line) => line.split(' ')) ?? [];
  return {
    n: lines.map(([n]) => Number(n)),
    values: numbers.map((_, at) => lines.map((cells) => (cells[at + 1] ? Number(cells[at + 1]) : null))),
  };
}

const nameOf = (at: number): SQL => sql.raw(`mean${at}`);

/** Number of a completed run, as in `numberOfCandidate`. */
const numberOf = (name: string): SQL => sql`(case when status = 'completed'
  and jsonb_typeof(metrics -> ${name}::text) = 'number' then (metrics ->> ${name}::text)::float8 end)`;
