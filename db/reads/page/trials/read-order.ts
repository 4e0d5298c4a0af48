import { sql, type SQL } from 'drizzle-orm';
import type { Tx } from '../../../connect.ts';
import type { ResearchView } from '../../read-research.ts';
import { finite } from '../finite.ts';
import { isComparable } from '../../../trial/comparable.ts';
import { textCondition, filterCondition, shownVerdictOrNone, shownStatus, type TrialFilter } from './filter.ts';

export type TrialSort = 'n' | 'value' | 'ended' | 'seconds' | 'usd';

export interface OrderInput {
  research: Pick<ResearchView, 'id' | 'lastN' | 'taskHash'>;
  filter: TrialFilter;
  sort: TrialSort;
  order: 'asc' | 'desc';
}

/** Numbers of trials by each value of a filter. */
export interface Facets {
  kind: Record<string, number>;
  status: Record<string, number>;
  verdict: Record<string, number>;
  failure: Record<string, number>;
}

/** Sort key. Under an earlier metric a value has no place among the values: its key is null. */
const keyOf = (sort: TrialSort, taskHash: string): SQL =>
  sort === 'value' ? sql`case when ${isComparable(taskHash)} then ${KEYS.value} end` : KEYS[sort];

/** Sort keys. Null and values that are not finite come last in both directions. */
const KEYS: Record<TrialSort, SQL> = {
  n: sql`trials.n::float8`,
  value: finite(sql`trials.value`),
  ended: sql`extract(epoch from trials.ended_at)::float8`,
  seconds: sql`nullif(trials.seconds, 'NaN')`,
  usd: sql`spent.usd`,
};

const SPENT = sql`left join (
  select trial_id, sum(usd) as usd from calls group by 1) spent on spent.trial_id = trials.id`;

interface Row extends Record<string, unknown> {
  numbers: string;
  facets: [kind: string, status: string, verdict: string, failure: string | null, trials: number][];
}

/** Numbers of all trials that pass the filter, in order, and counts over the whole research, in one scan. */
export async function readOrder(
  db: Tx,
  { research, filter, sort, order }: OrderInput,
): Promise<{ n: number[]; facets: Facets }> {
  const { text = '', ...rest } = filter;
  const researchId = research.id;
  const found = text === '' ? null : await readMatches(db, research, text);
  const isFound = found === null ? sql`` : sql`and trials.n in (select unnest(string_to_array(${found}, ',')::int[]))`;
  const direction = order === 'asc' ? sql`asc` : sql`desc`;
  const { rows } = await db.execute<Row>(sql`
    with told as materialized (
      select trials.n, trials.kind, ${shownStatus} as status,
        ${shownVerdictOrNone(researchId)} as verdict, trials.failure,
        ${filterCondition(researchId, rest)} ${isFound} as passes, ${keyOf(sort, research.taskHash)} as key
      from trials ${sort === 'usd' ? SPENT : sql``} where trials.research_id = ${researchId}),
    counted as (select kind, status, verdict, failure, count(*)::int as trials from told group by 1, 2, 3, 4)
    select
      (select coalesce(string_agg(n::text, ',' order by key ${direction} nulls last, n ${direction}), '')
        from told where passes) as numbers,
      (select coalesce(json_agg(json_build_array(kind, status, verdict, failure, trials)), '[]')
        from counted) as facets`);
  const { numbers = '', facets = [] } = rows[0] ?? {};
  return { n: numbers === '' ? [] : numbers.split(',').map(Number), facets: facetsOf(facets) };
}

/** Trials whose texts one statement searches: this takes longer than everything else. */
const AT_ONCE = 50_000;

/** Numbers of trials that contain a text, separated by commas. */
async function readMatches(db: Tx, { id, lastN }: OrderInput['research'], text: string): Promise<string> {
  const found: string[] = [];
  for (let from = 1; from <= lastN; from += AT_ONCE) {
    const { rows } = await db.execute<{ numbers: string | null }>(sql`
      select string_agg(n::text, ',') as numbers from trials
      where research_id = ${id} and n >= ${from} and n < ${from + AT_ONCE} and ${textCondition(text)}`);
    found.push(...rows.flatMap(({ numbers }) => numbers ?? []));
  }
  return found.join(',');
}

function facetsOf(counted: Row['facets']): Facets {
  const facets: Facets = { kind: {}, status: {}, verdict: {}, failure: {} };
  const add = (counts: Record<string, number>, key: string, trials: number): void => {
    counts[key] = (counts[key] ?? 0) + trials;
  };
  for (const [kind, status, verdict, failure, trials] of counted) {
    add(facets.kind, kind, trials);
    add(facets.status, status, trials);
    add(facets.verdict, verdict, trials);
    if (failure !== null) add(facets.failure, failure, trials);
  }
  return facets;
}
