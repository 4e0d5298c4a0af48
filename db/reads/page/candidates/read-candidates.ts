import { sql, type SQL } from 'drizzle-orm';
import { finiteOrNull } from '../../../../domain/json/number.ts';
import type { ShownVerdict, TrialKind, TrialStatus } from '../../../../domain/trial.ts';
import type { CandidateNumber, CandidateRange } from '../../../../view/page/candidate-columns.ts';
import { intervalAround, intervalOf, type WithInterval } from '../../../../view/page/research/interval.ts';
import { standingOf } from '../../../../view/standing.ts';
import type { Tx } from '../../../connect.ts';
import { isComparable } from '../../../trial/comparable.ts';
import { inSearch } from '../../../trial/in-search.ts';
import { shownVerdict } from '../../../trial/shown-verdict.ts';
import type { ResearchView } from '../../read-research.ts';
import { candidateCondition, numberOfCandidate } from './candidate-numbers.ts';

/** A candidate with its runs folded in. */
export interface CandidateLine {
  candidateId: string;
  /** Number of the trial that proposed it, else of its first one. */
  n: number;
  /** Mean of its scored runs; null without one. */
  measured: WithInterval | null;
  verdict: ShownVerdict;
  /** Outcome of its last run. */
  outcome: TrialStatus | null;
  hypothesis: string | null;
  proposer: string | null;
  seconds: number;
  usd: number;
  /** Its trials, at most 100, by number. */
  trials: { n: number; kind: TrialKind; status: TrialStatus | null; value: number | null }[];
  /** The requested numbers, in their order. */
  numbers: (number | null)[];
}

/** Position after a row: its value and its id, or for rows without a value their number by first outcome. */
export type CandidateCursor = { value: number; id: string } | { seq: number };

export interface CandidatesInput {
  research: ResearchView;
  sort: 'value' | 'first';
  order: 'asc' | 'desc';
  ranges: readonly CandidateRange[];
  columns: readonly CandidateNumber[];
  after: CandidateCursor | null;
  limit: number;
}

interface Row extends Omit<CandidateLine, 'measured' | 'numbers'>, Record<string, unknown> {
  value: number | null;
  runs: number;
  sd: number | null;
  seq: number;
  numbers: (number | null)[] | null;
}

/**
 * A page of the candidates with an outcome under the present task, one row each. The page is read by an index, so its
 * cost does not grow with their number. Candidates without a value come last.
 */
export async function readCandidates(
  db: Tx,
  input: CandidatesInput,
): Promise<{ rows: CandidateLine[]; next: CandidateCursor | null }> {
  const { sort, after, limit } = input;
  const rows = after !== null && 'seq' in after && sort === 'value' ? [] : await readPart(db, input, sort);
  // Rows without a value have no place among the values: they follow, the newest first.
  if (sort === 'value' && rows.length <= limit) {
    const rest = { ...input, limit: limit - rows.length, after: after !== null && 'seq' in after ? after : null };
    rows.push(...(await readPart(db, rest, 'without')));
  }
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? cursorOf(last, sort) : null;
  const lineOf = createLine(input.research);
  return { rows: shown.map(lineOf), next };
}

const cursorOf = ({ value, candidateId, seq }: Row, sort: CandidatesInput['sort']): CandidateCursor =>
  sort === 'value' && value !== null ? { value, id: candidateId } : { seq };

/** The candidates of trials with these numbers, in the order of the numbers. */
export async function readCandidatesOf(
  db: Tx,
  { research, numbers, columns }: Pick<CandidatesInput, 'research' | 'columns'> & { numbers: readonly number[] },
): Promise<CandidateLine[]> {
  const { id, taskHash } = research;
  const rows = await readRows(
    db,
    { research, columns },
    {
      page: sql`select ${COLUMNS}, wanted.at from observations o
      join trials t on t.candidate_id = o.candidate_id and t.research_id = o.research_id
      join unnest(string_to_array(${numbers.join(',')}, ',')::int[]) with ordinality wanted(n, at) on wanted.n = t.n
      where o.research_id = ${id} and o.task_hash = ${taskHash}`,
      order: (row) => sql`${row}.at`,
    },
  );
  return rows.map(createLine(research));
}

/** One row more than the limit, which shows that there are more. `without`: rows without a value. */
function readPart(db: Tx, input: CandidatesInput, part: 'value' | 'first' | 'without'): Promise<Row[]> {
  const { research, ranges, limit } = input;
  const { id, taskHash } = research;
  const { where, order } = placeOf(input, part);
  return readRows(db, input, {
    page: sql`select ${COLUMNS} from observations o
      where o.research_id = ${id} and o.task_hash = ${taskHash} and o.seq is not null and ${where}
        and exists (select 1 from trials where trials.candidate_id = o.candidate_id and trials.research_id = ${id})
        and ${candidateCondition(ranges, { candidate: sql`o`, researchId: id })}
      order by ${order(sql`o`)} limit ${limit + 1}`,
    order,
  });
}

const COLUMNS = sql`o.candidate_id, o.value, o.runs, o.seq, o.outcome, o.seconds, o.usd, o.proposer, o.knobs`;

/** Rows of the candidates that a statement selects. */
async function readRows(
  db: Tx,
  { research: { id, taskHash }, columns }: Pick<CandidatesInput, 'research' | 'columns'>,
  { page, order }: { page: SQL; order: (row: SQL) => SQL },
): Promise<Row[]> {
  const ofCandidate = sql`trials.research_id = ${id} and trials.candidate_id = page.candidate_id`;
  const scored = sql`trials.status = 'completed' and ${inSearch(sql`trials.kind`)} and ${isComparable(taskHash)}`;
  const numbers = columns.map((column) => numberOfCandidate(column, { candidate: sql`page`, researchId: id }));
  const { rows } = await db.execute<Row>(sql`
    with page as (${page})
    select page.candidate_id as "candidateId", page.value, page.runs, page.seq, page.outcome, page.seconds, page.usd,
      page.proposer, own.*, coalesce(${shownVerdict(id, sql`first`)}, 'none') as verdict,
      ${numbers.length === 0 ? sql`null` : sql`json_build_array(${sql.join(numbers, sql`, `)})`} as numbers
    from page
    join lateral (
      select coalesce(min(n) filter (where kind in ('search', 'injected')), min(n)) as n,
        stddev_samp(value) filter (where ${scored}) as sd,
        (array_agg(hypothesis order by n) filter (where hypothesis is not null))[1] as hypothesis,
        to_json((array_agg(json_build_object('n', n, 'kind', kind, 'status', status,
          'value', case when value between '-1e300' and '1e300' then value end) order by n))[1:100]) as trials
      from trials where ${ofCandidate}) own on true
    join trials first on first.research_id = ${id} and first.n = own.n
    order by ${order(sql`page`)}`);
  return rows;
}

/** Condition and order of a part. */
function placeOf({ order, after }: CandidatesInput, part: 'value' | 'first' | 'without') {
  const way = order === 'asc' ? sql`asc` : sql`desc`;
  const beyond = order === 'asc' ? sql`>` : sql`<`;
  if (part === 'value') {
    const isAfter =
      after === null || !('value' in after)
        ? sql`true`
        : sql`(o.value, o.candidate_id) ${beyond} (${after.value}::float8, ${after.id})`;
    return {
      where: sql`o.value is not null and o.value between '-1e300' and '1e300' and ${isAfter}`,
      order: (row: SQL) => sql`${row}.value ${way}, ${row}.candidate_id ${way}`,
    };
  }
  const [direction, sign] = part === 'without' ? [sql`desc`, sql`<`] : [way, beyond];
  const isAfter = after !== null && 'seq' in after ? sql`o.seq ${sign} ${after.seq}` : sql`true`;
  const hasNone = sql`(o.value is null or not o.value between '-1e300' and '1e300')`;
  return {
    where: part === 'without' ? sql`${hasNone} and ${isAfter}` : isAfter,
    order: (row: SQL) => sql`${row}.seq ${direction}`,
  };
}

/** Gives each candidate the value that every page shows: the claim and the baseline have those of the gate. */
function createLine(research: ResearchView): (row: Row) => CandidateLine {
  const { baseline, claim } = standingOf(research);
  const known = [baseline, claim].flatMap((one) => (one === null ? [] : [one]));
  return ({ value, runs, sd, seq: _, numbers, ...row }) => {
    const standing = known.find(({ candidateId }) => candidateId === row.candidateId);
    const mean = finiteOrNull(value);
    const own = mean === null ? null : intervalAround({ value: mean, sd: finiteOrNull(sd), n: runs }, research.gate);
    return { ...row, measured: standing ? intervalOf(standing) : own, numbers: numbers ?? [] };
  };
}
