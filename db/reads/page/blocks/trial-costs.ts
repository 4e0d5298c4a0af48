import { sql } from 'drizzle-orm';
import { finite } from '../finite.ts';
import { createBlockReader, type BlockResearch, type Blocks } from './block-reader.ts';
import type { Tx } from '../../../connect.ts';
import { BLOCK } from './snapshot.ts';

/** Costs of the model calls of the trials of a block, by the index of the trial in the block. */
export interface CostBlock {
  usd: Float64Array;
  tokens: Float64Array;
  /** 1 for trials with a call that has a price. */
  priced: Uint8Array;
}

export type TrialCostsReader = (db: Tx, research: BlockResearch) => Promise<Blocks<CostBlock>>;

/** Researches whose costs are kept; 200,000 trials take 4 MB. */
const KEPT = 8;

interface Row extends Record<string, unknown> {
  block: number;
  at: string;
  usd: string;
  tokens: string;
  priced: string;
}

/** Creates a reader of the costs of trials, for repeated reads: it reads only changed blocks again. */
export function createTrialCostsReader(): TrialCostsReader {
  const readBlocks = createBlockReader<CostBlock, BlockResearch>({
    kept: KEPT,
    readRange: async (db, { id }, { first, last }) => {
      const { rows } = await db.execute<Row>(sql`
        select (n - 1) / ${BLOCK}::int as block, string_agg(((n - 1) % ${BLOCK}::int)::text, ',') as at,
          string_agg(usd::text, ',') as usd, string_agg(tokens::text, ',') as tokens,
          string_agg(priced::text, ',') as priced
        from (
          select trials.n, coalesce(sum(${finite(sql`calls.usd`)}), 0)::float8 as usd,
            sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)) as tokens,
            (count(${finite(sql`calls.usd`)}) > 0)::int as priced
          from trials join calls on calls.trial_id = trials.id
          where trials.research_id = ${id} and n > ${first * BLOCK} and n <= ${(last + 1) * BLOCK} group by 1) costs
        group by 1`);
      return new Map(rows.map((row) => [row.block, blockOf(row)]));
    },
  });
  return async (db, research) => (await readBlocks(db, [research]))[0] ?? [];
}

function blockOf(row: Row): CostBlock {
  const at = row.at.split(',').map(Number);
  const block = { usd: new Float64Array(BLOCK), tokens: new Float64Array(BLOCK), priced: new Uint8Array(BLOCK) };
  for (const key of ['usd', 'tokens', 'priced'] as const)
    row[key].split(',').forEach((text, i) => (block[key][at[i] ?? 0] = Number(text)));
  return block;
}
