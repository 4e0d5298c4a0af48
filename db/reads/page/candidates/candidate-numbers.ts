import { sql, type SQL } from 'drizzle-orm';
import type { CandidateNumber, CandidateRange } from '../../../../view/page/candidate-columns.ts';

interface Scope {
  /** Name of the row of `observations` in the statement. */
  candidate: SQL;
  researchId: string;
}

/** A number of a candidate: that of an evaluator is the mean over its completed runs. Null if it has none. */
export function numberOfCandidate(number: CandidateNumber, { candidate, researchId }: Scope): SQL {
  if (!('name' in number)) return number.kind === 'value' ? sql`${candidate}.value` : sql`${candidate}.seconds`;
  const { name } = number;
  if (number.kind === 'knob')
    return sql`(case when jsonb_typeof(${candidate}.knobs -> ${name}::text) = 'number'
      then (${candidate}.knobs ->> ${name}::text)::float8 end)`;
  return sql`(select avg((measured.metrics ->> ${name}::text)::float8) from trials measured
    where measured.research_id = ${researchId} and measured.candidate_id = ${candidate}.candidate_id
      and measured.status = 'completed' and jsonb_typeof(measured.metrics -> ${name}::text) = 'number'
      and abs((measured.metrics ->> ${name}::text)::float8) < 1e100)`;
}

/** Condition: the numbers of a candidate lie in all ranges. */
export function candidateCondition(ranges: readonly CandidateRange[], scope: Scope): SQL {
  const conditions = ranges.map(
    ({ number, from, to }) =>
      sql`${numberOfCandidate(number, scope)} between ${from ?? '-Infinity'}::float8 and ${to ?? 'Infinity'}::float8`,
  );
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}
