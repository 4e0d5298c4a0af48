import { sql, type SQL } from 'drizzle-orm';
import { PROPOSAL_KINDS } from '../../../../domain/trial.ts';
import type { EndedTrials } from '../../../../view/page/series/place-on-axis.ts';
import type { Axis } from '../../../../view/page/series/axis.ts';
import { outcomeIndex } from '../../../../view/page/series/outcomes.ts';
import type { Tx } from '../../../connect.ts';
import type { ResearchView } from '../../read-research.ts';
import { finite } from '../finite.ts';
import { isWithinBounds, versionsWithMetricOf } from '../../../trial/comparable.ts';
import { callsOf } from '../spend/calls-of.ts';

/** Trials that one statement reads: no statement takes long, so that other pages get their turn in between. */
const AT_ONCE = 20_000;

/** Columns as text with commas between the values, which is parsed faster than an array. */
interface Part extends Record<string, unknown> {
  n: string | null;
  at: string;
  value: string;
  outcome: string;
  proposes: string;
  seconds: string;
}

type Research = Pick<ResearchView, 'id' | 'taskHash' | 'lastN' | 'createdAt'>;

/** Every ended trial of a research, in the order of their ends, with its spend in the unit of the axis. */
export async function readEnded(db: Tx, { research, axis }: { research: Research; axis: Axis }): Promise<EndedTrials> {
  const ended: EndedTrials = { n: [], at: [], value: [], outcome: [], proposes: [], spent: [] };
  const costs = axis === 'tokens' || axis === 'usd' ? await readCosts(db, research.id, axis) : null;
  for (let from = 0; from < research.lastN; from += AT_ONCE) {
    const part = await readPart(db, research, from);
    if (part.n === null) continue;
    const ns = numbers(part.n);
    push(ended.n, ns);
    push(
      ended.at,
      numbers(part.at).map((seconds) => Math.round(seconds * 1000) / 1000),
    );
    push(ended.value, part.value.split(',').map(valueOf));
    push(ended.outcome, [...part.outcome].map(Number));
    push(
      ended.proposes,
      [...part.proposes].map((one) => one === '1'),
    );
    push(ended.spent, spentOn(axis, { ns, seconds: part.seconds, costs }));
  }
  return withAbsorbed(sortByEnd(ended), await readAbsorbed(db, research.id));
}

/** Spend of trials in the unit of the axis; empty if the axis counts no spend. */
function spentOn(
  axis: Axis,
  { ns, seconds, costs }: { ns: readonly number[]; seconds: string; costs: ReadonlyMap<number, number> | null },
): number[] {
  if (axis === 'slotSeconds') return numbers(seconds);
  return costs ? ns.map((n) => costs.get(n) ?? 0) : [];
}

const numbers = (text: string): number[] => text.split(',').map(Number);
const valueOf = (text: string): number | null => {
  const value = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
};

function push<T>(column: T[], more: readonly T[]): void {
  for (const one of more) column.push(one);
}

/** Outcome with the gate's verdict; a separate query finds the absorbed ones among discarded trials. */
const OUTCOME = sql.raw(`case
  when status = 'cached' then ${outcomeIndex('cached')} when status = 'aborted' then ${outcomeIndex('stopped-early')}
  when status <> 'completed' then ${outcomeIndex('failed')} when verdict = 'keep' then ${outcomeIndex('keep')}
  when verdict = 'confirm' then ${outcomeIndex('confirm')} when verdict = 'discard' then ${outcomeIndex('discard')}
  else ${outcomeIndex('scored')} end`);

async function readPart(db: Tx, { id, taskHash, createdAt }: Research, from: number): Promise<Part> {
  const list = (value: SQL, separator = ','): SQL => sql`string_agg(${value}, ${separator} order by n)`;
  const comparable = sql`task_hash in (select hash from alike) and ${isWithinBounds(sql`value`, taskHash)}`;
  const { rows } = await db.execute<Part>(sql`
    with alike as ${versionsWithMetricOf(taskHash)}
    select ${list(sql`n::text`)} as n,
      ${list(sql`date_part('epoch', ended_at - ${createdAt.toISOString()}::timestamptz)::text`)} as at,
      ${list(sql`case when ${comparable} then value::text else '' end`)} as value,
      ${list(sql`(${OUTCOME})::text`, '')} as outcome,
      ${list(sql`(kind = any(${sql.param([...PROPOSAL_KINDS])}::text[]))::int::text`, '')} as proposes,
      ${list(sql`coalesce(nullif(seconds, 'NaN'), 0)::text`)} as seconds
    from trials
    where research_id = ${id} and status is not null and n > ${from} and n <= ${from + AT_ONCE}`);
  const [row] = rows;
  if (!row) throw new Error('Expected one row of an aggregate');
  return row;
}

/** Cost of each trial's model calls, by number. */
async function readCosts(db: Tx, researchId: string, axis: 'tokens' | 'usd'): Promise<Map<number, number>> {
  const spent =
    axis === 'usd' ? sql`coalesce(${finite(sql`usd`)}, 0)` : sql`coalesce(tokens_in, 0) + coalesce(tokens_out, 0)`;
  const { rows } = await db.execute<{ n: string | null; spent: string }>(sql`
    select string_agg(n, ',') as n, string_agg(spent::text, ',') as spent
    from (
      select substr(trial_id, length(${researchId}::text) + 2) as n, sum(${spent})::float8 as spent
      from calls where ${callsOf(researchId)} group by trial_id) costs`);
  const [row] = rows;
  if (!row || row.n === null) return new Map();
  const spents = numbers(row.spent);
  return new Map(numbers(row.n).map((n, index) => [n, spents[index] ?? 0]));
}

/** Numbers of discarded trials whose edit is in the lead. */
async function readAbsorbed(db: Tx, researchId: string): Promise<Set<number>> {
  const { rows } = await db.execute<{ n: number }>(sql`
    with recursive line(id) as (
      select gate->>'leadId' from researches where id = ${researchId}
      union
      select made.parent_id from line join trials made on made.candidate_id = line.id
      where made.research_id = ${researchId} and made.parent_id is not null)
    select trials.n from line join trials on trials.candidate_id = line.id
    where trials.research_id = ${researchId} and trials.status = 'completed' and trials.verdict = 'discard'`);
  return new Set(rows.map(({ n }) => n));
}

function withAbsorbed(ended: EndedTrials, absorbed: ReadonlySet<number>): EndedTrials {
  const index = outcomeIndex('absorbed');
  return { ...ended, outcome: ended.outcome.map((one, i) => (absorbed.has(ended.n[i] ?? 0) ? index : one)) };
}

/** Sorts the columns by the ends of the trials; of equal ends, the lower number comes first. */
function sortByEnd(ended: EndedTrials): EndedTrials {
  const { n, at } = ended;
  const order = n.map((_, i) => i).sort((a, b) => (at[a] ?? 0) - (at[b] ?? 0) || (n[a] ?? 0) - (n[b] ?? 0));
  const column = <T>(values: readonly T[]): T[] => (values.length === 0 ? [] : order.map((i) => values[i] as T));
  return {
    n: column(n),
    at: column(at),
    value: column(ended.value),
    outcome: column(ended.outcome),
    proposes: column(ended.proposes),
    spent: column(ended.spent),
  };
}
