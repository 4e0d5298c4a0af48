import { sql } from 'drizzle-orm';
import type { Tx } from '../../../connect.ts';
import { createBlockReader, type BlockResearch } from '../blocks/block-reader.ts';
import { BLOCK } from '../blocks/snapshot.ts';
import { textCondition } from './filter.ts';

/** Texts whose matches are kept. */
const KEPT = 8;

/** Numbers of the trials of a research that contain a text. */
export type MatchesReader = (db: Tx, research: BlockResearch & { text: string }) => Promise<Set<number>>;

/** Creates a reader of matches, for repeated reads: it searches only changed blocks again. */
export function createMatchesReader(): MatchesReader {
  const readBlocks = createBlockReader<number[], BlockResearch & { text: string }>({
    kept: KEPT,
    keyOf: ({ text }) => JSON.stringify(text),
    readRange: async (db, { id, text }, { first, last }) => {
      const { rows } = await db.execute<{ block: number; numbers: string }>(sql`
        select (n - 1) / ${BLOCK}::int as block, string_agg(n::text, ',') as numbers from trials
        where research_id = ${id} and n > ${first * BLOCK} and n <= ${(last + 1) * BLOCK} and ${textCondition(text)}
        group by 1`);
      return new Map(rows.map(({ block, numbers }) => [block, numbers.split(',').map(Number)]));
    },
  });
  return async (db, research) => {
    const [blocks = []] = await readBlocks(db, [research]);
    return new Set(blocks.flatMap((numbers) => numbers ?? []));
  };
}
