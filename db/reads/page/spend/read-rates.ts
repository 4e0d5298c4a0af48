import { sql } from 'drizzle-orm';
import { ratesOf, type CallRates } from '../../../../view/rows/rates.ts';
import type { Tx } from '../../../connect.ts';
import type { BlockResearch } from '../blocks/block-reader.ts';
import type { SpendBlock, SpendSumsReader } from '../blocks/spend-sums.ts';
import { percentiles } from './percentiles.ts';

/** Rates as `status/read-rates.ts` reads them, of a research, from the sums of a reader that keeps them. */
export async function readKeptRates(
  db: Tx,
  { research, readSums }: { research: BlockResearch & { usd: number; tokens: number }; readSums: SpendSumsReader },
): Promise<CallRates | null> {
  const [blocks = []] = await readSums(db, [{ ...research, offset: 0 }]);
  const { usd, tokens, id } = research;
  const claims = blocks.some(hasCalls) ? ((await countClaims(db)).get(id) ?? 0) : 0;
  return sumRates(blocks, { usd, tokens, claims });
}

/** True for a block with a model call. */
export const hasCalls = (block: SpendBlock | null): boolean => block !== null && block.models.length > 0;

/** Number of claims of each research that has any. */
export async function countClaims(db: Tx): Promise<Map<string, number>> {
  const { rows } = await db.execute<{ id: string; claims: number }>(
    sql`select research_id as id, count(*)::int as claims from claims group by 1`,
  );
  return new Map(rows.map(({ id, claims }) => [id, claims]));
}

/** Rates over blocks; null if no model was called. */
export function sumRates(
  blocks: readonly (SpendBlock | null)[],
  bought: { usd: number; tokens: number; claims: number },
): CallRates | null {
  const sums = [0, 0, 0, 0, 0, 0, 0];
  const latencies: Float64Array[] = [];
  for (const block of blocks) {
    if (block === null) continue;
    block.rates?.forEach((count, index) => (sums[index] = (sums[index] ?? 0) + count));
    latencies.push(block.latencies);
  }
  const [answers = 0, bad = 0, duplicates = 0, unpriced = 0, failed = 0, limited = 0, repeated = 0] = sums;
  const [p50 = null, p95 = null] = percentiles(latencies, [0.5, 0.95]);
  return ratesOf({ answers, bad, duplicates, unpriced, failed, limited, repeated, p50, p95 }, bought);
}
