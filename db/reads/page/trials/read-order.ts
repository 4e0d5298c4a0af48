import type { ShownVerdict } from '../../../../domain/trial.ts';
import type { Tx } from '../../../connect.ts';
import { readTogether } from '../../../read-together.ts';
import type { ResearchView } from '../../read-research.ts';
import { countShown } from '../blocks/count-trials.ts';
import { readAbsorbed } from '../blocks/read-absorbed.ts';
import { BLOCK } from '../blocks/snapshot.ts';
import {
  blockIndex,
  createTrialColumnsReader,
  type TrialClass,
  type TrialColumns,
  type TrialColumnsReader,
} from '../blocks/trial-columns.ts';
import { createTrialCostsReader, type TrialCostsReader } from '../blocks/trial-costs.ts';
import { createMatchesReader, type MatchesReader } from './matches-reader.ts';
import type { TrialFilter } from './filter.ts';

export type TrialSort = 'n' | 'value' | 'ended' | 'seconds' | 'usd';

export interface OrderReaders {
  readColumns: TrialColumnsReader;
  readCosts: TrialCostsReader;
  readMatches: MatchesReader;
}

export interface OrderInput {
  research: Pick<ResearchView, 'id' | 'createdAt' | 'lastN' | 'taskHash'>;
  filter: TrialFilter;
  sort: TrialSort;
  order: 'asc' | 'desc';
  /** Readers of a caller that reads repeatedly. */
  readers?: OrderReaders;
}

/** Numbers of trials by each value of a filter. */
export interface Facets {
  kind: Record<string, number>;
  status: Record<string, number>;
  verdict: Record<string, number>;
  failure: Record<string, number>;
}

const newReaders = (): OrderReaders => ({
  readColumns: createTrialColumnsReader(),
  readCosts: createTrialCostsReader(),
  readMatches: createMatchesReader(),
});

/** Numbers of all trials that pass the filter, in order, and counts over the whole research. */
export async function readOrder(
  db: Tx,
  { research, filter, sort, order, readers = newReaders() }: OrderInput,
): Promise<{ n: number[]; facets: Facets }> {
  const { columns, absorbed } = await readTogether(db, {
    columns: () => readers.readColumns(db, research),
    absorbed: () => readAbsorbed(db, research.id),
  });
  const { text = '' } = filter;
  const matches = text === '' ? null : await readers.readMatches(db, { ...research, text });
  const from = filter.since === undefined ? null : (Date.parse(filter.since) - research.createdAt.getTime()) / 1000;
  const numbers = passing(columns, { filter, from, absorbed, matches });
  if (sort === 'n') {
    if (order === 'desc') numbers.reverse();
  } else {
    const costs = sort === 'usd' ? await readers.readCosts(db, research) : [];
    sortBy(numbers, { keyOf: keysOf(sort, { columns, costs }), sign: order === 'asc' ? 1 : -1 });
  }
  return { n: numbers, facets: facetsOf(columns, absorbed) };
}

interface Selection {
  filter: TrialFilter;
  /** Seconds since the research began, from which on a trial has ended; null: any trial. */
  from: number | null;
  absorbed: ReadonlySet<number>;
  /** Numbers of trials that contain the text of the filter; null: it has none. */
  matches: ReadonlySet<number> | null;
}

/** Numbers of the trials that pass a filter, ascending. */
function passing({ blocks, classes }: TrialColumns, { filter, from, absorbed, matches }: Selection): number[] {
  const passes = classes.map((one) => passesWith(one, one.verdict ?? 'none', filter));
  const passesAbsorbed = classes.map((one) => passesWith(one, 'absorbed', filter));
  const numbers: number[] = [];
  blocks.forEach((block, number) => {
    if (block === null) return;
    for (let index = 0; index < BLOCK; index += 1) {
      const found = block.classes[index] ?? -1;
      if (found < 0) continue;
      if (from !== null && !((block.ends[index] ?? Number.NaN) >= from)) continue;
      const n = number * BLOCK + index + 1;
      const isAbsorbed = absorbed.size > 0 && absorbed.has(n);
      if ((isAbsorbed ? passesAbsorbed : passes)[found] && (matches === null || matches.has(n))) numbers.push(n);
    }
  });
  return numbers;
}

function passesWith({ kind, status, failure }: TrialClass, verdict: ShownVerdict, filter: TrialFilter): boolean {
  const equals = (wanted: string | undefined, found: string | null): boolean =>
    wanted === undefined || wanted === found;
  return (
    equals(filter.kind, kind) &&
    equals(filter.status, status ?? 'running') &&
    equals(filter.verdict, verdict) &&
    equals(filter.failure, failure)
  );
}

/** Gives the sort key of a trial; NaN if it has none. */
function keysOf(
  sort: Exclude<TrialSort, 'n'>,
  { columns: { blocks }, costs }: { columns: TrialColumns; costs: Awaited<ReturnType<TrialCostsReader>> },
): (n: number) => number {
  const column = { value: 'values', ended: 'ends', seconds: 'seconds' } as const;
  return (n) => {
    const [block, index] = blockIndex(n);
    if (sort === 'usd')
      return costs[block]?.priced[index] === 1 ? (costs[block]?.usd[index] ?? Number.NaN) : Number.NaN;
    return blocks[block]?.[column[sort]][index] ?? Number.NaN;
  };
}

/** Sorts ascending numbers by their keys. Trials without a key come last in both directions. */
function sortBy(numbers: number[], { keyOf, sign }: { keyOf: (n: number) => number; sign: 1 | -1 }): void {
  const keys = new Float64Array((numbers.at(-1) ?? 0) + 1);
  for (const n of numbers) {
    const key = sign * keyOf(n);
    keys[n] = Number.isNaN(key) ? Infinity : key;
  }
  numbers.sort((a, b) => {
    const [one = 0, other = 0] = [keys[a], keys[b]];
    return one === other ? sign * (a - b) : one - other;
  });
}

function facetsOf(columns: TrialColumns, absorbed: ReadonlySet<number>): Facets {
  const facets: Facets = { kind: {}, status: {}, verdict: {}, failure: {} };
  const add = (counts: Record<string, number>, key: string, trials: number): void => {
    counts[key] = (counts[key] ?? 0) + trials;
  };
  for (const { kind, status, verdict, failure, trials } of countShown(columns, absorbed)) {
    add(facets.kind, kind, trials);
    add(facets.status, status ?? 'running', trials);
    add(facets.verdict, verdict ?? 'none', trials);
    if (failure !== null) add(facets.failure, failure, trials);
  }
  return facets;
}
