import type { Tx } from '../../../connect.ts';
import { BLOCK, isBefore, readChanges, type Snapshot } from './snapshot.ts';

/** Blocks that one statement reads: no statement takes long, so that other pages get their turn in between. */
const AT_ONCE = 40;

/** A research whose trials are read. */
export interface BlockResearch {
  id: string;
  createdAt: Date;
  lastN: number;
}

/** Blocks from `first` to `last` of a research. */
export interface BlockRange {
  first: number;
  last: number;
}

/** Values of the blocks of a research, by number; null for a block without rows. */
export type Blocks<T> = readonly (T | null)[];

/** Reads the blocks of researches as the transaction of `db` sees them, in the order of the researches. */
export type BlockReader<T, R extends BlockResearch> = (db: Tx, researches: readonly R[]) => Promise<Blocks<T>[]>;

interface Options<T, R> {
  /** Reads blocks of a research, by their numbers. Blocks without rows may be missing. */
  readRange: (db: Tx, research: R, range: BlockRange) => Promise<Map<number, T>>;
  /** Anything beside the rows that values depend on, as text. */
  keyOf?: (research: R) => string;
  /** Researches that are kept beside those of the last read. */
  kept: number;
}

interface Kept<T> {
  id: string;
  blocks: ReadonlyMap<number, T | null>;
}

/** Values of a snapshot. It never changes: a reader with another snapshot may use it meanwhile. */
interface State<T> {
  snapshot: Snapshot;
  researches: ReadonlyMap<string, Kept<T>>;
}

/**
 * Creates a reader for repeated reads. It keeps a value for each block of a research's trials, and reads only those
 * blocks again in which a trial or a call has changed. A value always comes from whole rows of its block, so that a
 * trial which changed from one class to another is in no class twice.
 */
export function createBlockReader<T, R extends BlockResearch>(options: Options<T, R>): BlockReader<T, R> {
  const { readRange, kept, keyOf = () => '' } = options;
  // The newest state, and the one before it for a transaction that began before the newest was read.
  let states: readonly State<T>[] = [];

  return async (db, researches) => {
    const { snapshot, researches: valid } = await readState(db, states);
    const read = new Map<string, Kept<T>>();
    for (const research of researches) {
      // Another database may have a research with the same id.
      const key = `${research.createdAt.toISOString()} ${keyOf(research)} ${research.id}`;
      const blocks = new Map(valid.get(key)?.blocks);
      for (const range of missingRanges(blocks, blockCount(research))) {
        const found = await readRange(db, research, range);
        for (let block = range.first; block <= range.last; block += 1) blocks.set(block, found.get(block) ?? null);
      }
      read.set(key, { id: research.id, blocks });
    }
    const others = [...valid].filter(([key]) => !read.has(key)).slice(-kept);
    const [newest] = states;
    // A state that another transaction stored meanwhile is replaced only by one that sees as much.
    if (newest?.snapshot.origin !== snapshot.origin || !isBefore(snapshot, newest.snapshot)) {
      const next = { snapshot, researches: new Map([...others, ...read]) };
      states = [next, ...states.filter((state) => isEarlier(state.snapshot, snapshot))].slice(0, 2);
    }
    return [...read.values()].map(({ blocks }, index) =>
      Array.from({ length: blockCount(researches[index]) }, (_, block) => blocks.get(block) ?? null),
    );
  };
}

const blockCount = (research: BlockResearch | undefined): number => Math.ceil((research?.lastN ?? 0) / BLOCK);

/** The kept values that are valid in the transaction of `db`: those of blocks that did not change. */
async function readState<T>(db: Tx, states: readonly State<T>[]): Promise<State<T>> {
  for (const state of states) {
    const { snapshot, changed } = await readChanges(db, state.snapshot);
    if (state.snapshot.origin !== snapshot.origin) break;
    if (!isBefore(snapshot, state.snapshot)) return { snapshot, researches: withoutBlocks(state.researches, changed) };
  }
  return { snapshot: (await readChanges(db, null)).snapshot, researches: new Map() };
}

/** True for an earlier snapshot of the same database: its values are valid for a transaction that began before. */
const isEarlier = (old: Snapshot, present: Snapshot): boolean =>
  old.origin === present.origin && isBefore(old, present);

function withoutBlocks<T>(
  researches: ReadonlyMap<string, Kept<T>>,
  changed: readonly { researchId: string; block: number }[],
): ReadonlyMap<string, Kept<T>> {
  if (changed.length === 0) return researches;
  const changedOf = new Map<string, number[]>();
  for (const { researchId, block } of changed) changedOf.set(researchId, [...(changedOf.get(researchId) ?? []), block]);
  return new Map(
    [...researches].map(([key, { id, blocks }]) => {
      const valid = new Map(blocks);
      for (const block of changedOf.get(id) ?? []) valid.delete(block);
      return [key, { id, blocks: valid }];
    }),
  );
}

/** Ranges of blocks below `count` that are not known. */
function missingRanges(known: ReadonlyMap<number, unknown>, count: number): BlockRange[] {
  const ranges: BlockRange[] = [];
  for (let block = 0; block < count; block += 1) {
    if (known.has(block)) continue;
    const range = ranges.at(-1);
    if (range && range.last === block - 1 && block - range.first < AT_ONCE) range.last = block;
    else ranges.push({ first: block, last: block });
  }
  return ranges;
}
