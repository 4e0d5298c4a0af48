import { sql, type SQL } from 'drizzle-orm';
import type { TrialKind, TrialStatus, Verdict } from '../../../../domain/trial.ts';
import type { Tx } from '../../../connect.ts';
import { isWithinBounds, versionsWithMetricOf } from '../../../trial/comparable.ts';
import type { ResearchView } from '../../read-research.ts';
import { createBlockReader, type BlockRange, type Blocks } from './block-reader.ts';
import { BLOCK } from './snapshot.ts';

/** Trials that lists and counts do not distinguish. */
export interface TrialClass {
  kind: TrialKind;
  /** Null while it is under way. */
  status: TrialStatus | null;
  verdict: Verdict | null;
  failure: string | null;
  /** True if another research measured the value. */
  isReused: boolean;
}

/** Columns of the trials of a block; the trial with number n has the index (n − 1) mod `BLOCK`. */
export interface TrialBlock {
  /** Indices into `classes`; −1: there is no such trial. */
  classes: Int16Array;
  /** Numbers of trials by class: pairs of an index into the classes of the research, and a number. */
  counts: readonly (readonly [index: number, trials: number])[];
  /** Values that can be compared under the current metric; NaN: none, or it is not finite. */
  values: Float64Array;
  /** Ends, in seconds since the research began; NaN for a trial under way. */
  ends: Float64Array;
  /** Seconds on slots; NaN: none. */
  seconds: Float64Array;
  /** Number of ended trials, with the first and the last of their ends. */
  ended: number;
  firstEnd: number;
  lastEnd: number;
}

/** Trials of a research as columns. */
export interface TrialColumns {
  blocks: Blocks<TrialBlock>;
  classes: readonly TrialClass[];
}

type Research = Pick<ResearchView, 'id' | 'createdAt' | 'lastN' | 'taskHash'>;
export type TrialColumnsReader = (db: Tx, research: Research) => Promise<TrialColumns>;

/** Researches whose columns are kept; 200,000 trials take about 6 MB. */
const KEPT = 8;

/** Creates a reader of trials as columns, for repeated reads: it reads only changed blocks again. */
export function createTrialColumnsReader(): TrialColumnsReader {
  const classes = new ClassTable();
  const readBlocks = createBlockReader<TrialBlock, Research>({
    readRange: (db, research, range) => readRange(db, { research, range, classes }),
    // A changed task may have another metric.
    keyOf: ({ taskHash }) => taskHash,
    kept: KEPT,
  });
  return async (db, research) => {
    const [blocks = []] = await readBlocks(db, [research]);
    return { blocks, classes: classes.all };
  };
}

/** Numbers the classes in the order of their first trials. */
class ClassTable {
  readonly all: TrialClass[] = [];
  readonly #indices = new Map<string, number>();

  indexOf(text: string): number {
    const known = this.#indices.get(text);
    if (known !== undefined) return known;
    const [kind = '', status = '', verdict = '', reused = '', ...failure] = text.split(' ');
    const label = failure.join(' ');
    const index = this.all.push({
      kind: kind as TrialKind,
      status: status === '' ? null : (status as TrialStatus),
      verdict: verdict === '' ? null : (verdict as Verdict),
      failure: label === '' ? null : label,
      isReused: reused === '1',
    });
    this.#indices.set(text, index - 1);
    return index - 1;
  }
}

/** Columns as text with commas between the values, which is parsed faster than an array. */
interface Row extends Record<string, unknown> {
  block: number;
  at: string;
  classes: string;
  values: string;
  ends: string;
  seconds: string;
}

async function readRange(
  db: Tx,
  { research, range, classes }: { research: Research; range: BlockRange; classes: ClassTable },
): Promise<Map<number, TrialBlock>> {
  const { id, taskHash, createdAt } = research;
  const list = (value: SQL): SQL => sql`string_agg(${value}, ',')`;
  const comparable = sql`task_hash in (select hash from alike) and ${isWithinBounds(sql`value`, taskHash)}`;
  const { rows } = await db.execute<Row>(sql`
    with alike as ${versionsWithMetricOf(taskHash)}
    select (n - 1) / ${BLOCK}::int as block, ${list(sql`((n - 1) % ${BLOCK}::int)::text`)} as at,
      ${list(sql`concat_ws(' ', kind, coalesce(status, ''), coalesce(verdict, ''),
        (reused_from is not null)::int, coalesce(replace(failure, ',', ';'), ''))`)} as classes,
      ${list(sql`case when ${comparable} then value::text else '' end`)} as values,
      ${list(sql`case when status is null then ''
        else coalesce(date_part('epoch', ended_at - ${createdAt.toISOString()}::timestamptz), 0)::text end`)} as ends,
      ${list(sql`coalesce(seconds::text, '')`)} as seconds
    from trials
    where research_id = ${id} and n > ${range.first * BLOCK} and n <= ${(range.last + 1) * BLOCK} group by 1`);
  return new Map(rows.map((row) => [row.block, blockOf(row, classes)]));
}

function blockOf(row: Row, table: ClassTable): TrialBlock {
  const at = row.at.split(',').map(Number);
  const classes = new Int16Array(BLOCK).fill(-1);
  const texts = row.classes.split(',');
  at.forEach((index, i) => (classes[index] = table.indexOf(texts[i] ?? '')));
  const ends = finiteColumn(row.ends, at);
  const known = ends.filter((end) => !Number.isNaN(end));
  return {
    classes,
    counts: countEach(classes),
    values: finiteColumn(row.values, at),
    ends,
    seconds: finiteColumn(row.seconds, at),
    ended: known.length,
    firstEnd: known.reduce((first, end) => Math.min(first, end), Infinity),
    lastEnd: known.reduce((last, end) => Math.max(last, end), -Infinity),
  };
}

function finiteColumn(text: string, at: readonly number[]): Float64Array {
  const column = new Float64Array(BLOCK).fill(Number.NaN);
  text.split(',').forEach((value, i) => {
    const number = value === '' ? Number.NaN : Number(value);
    column[at[i] ?? 0] = Number.isFinite(number) ? number : Number.NaN;
  });
  return column;
}

function countEach(classes: Int16Array): [number, number][] {
  const counts = new Map<number, number>();
  for (const index of classes) if (index >= 0) counts.set(index, (counts.get(index) ?? 0) + 1);
  return [...counts];
}

/** Position of a trial: its block, and its index there. */
export const blockIndex = (n: number): [block: number, index: number] => [Math.floor((n - 1) / BLOCK), (n - 1) % BLOCK];

/** Number of trials of each class, by the index of the class. */
export function countClasses({ blocks, classes }: TrialColumns): number[] {
  const counts = new Array<number>(classes.length).fill(0);
  for (const block of blocks)
    for (const [index, trials] of block?.counts ?? []) counts[index] = (counts[index] ?? 0) + trials;
  return counts;
}

/** Class of a trial; undefined if there is no such trial. */
export function classOf({ blocks, classes }: TrialColumns, n: number): TrialClass | undefined {
  const [block, index] = blockIndex(n);
  return classes[blocks[block]?.classes[index] ?? -1];
}
