import { sql } from 'drizzle-orm';
import type { Spend } from '../../domain/budget.ts';
import type { Tx } from '../connect.ts';
import type { Research } from './research.ts';

/** What a research has used so far of what its budget limits, trials under way included; what has no limit is not counted. */
export async function readSpend(tx: Tx, input: { research: Research; activeSeconds: number }): Promise<Spend> {
  const { research, activeSeconds } = input;
  const { trials, tokens, usd } = research.budget;
  const spentOnCalls = tokens !== undefined || usd !== undefined ? await sumCalls(tx, research.id) : NOTHING;
  return {
    trials: trials === undefined ? 0 : await countTrials(tx, research),
    hours: activeSeconds / 3600,
    ...spentOnCalls,
  };
}

const NOTHING = { tokens: 0, usd: 0 };

async function countTrials(tx: Tx, { id, budget }: Research): Promise<number> {
  const rows = await tx.execute<{ n: number }>(
    sql`select count(*)::int as n from trials where research_id = ${id} and kind = any(${sql.param(budget.counts)})`,
  );
  return rows.rows[0]?.n ?? 0;
}

async function sumCalls(tx: Tx, researchId: string): Promise<{ tokens: number; usd: number }> {
  const rows = await tx.execute<{ tokens: number; usd: number }>(sql`
    select coalesce(sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)), 0)::float8 as tokens, coalesce(sum(usd), 0)::float8 as usd
    from calls join trials on trials.id = calls.trial_id where trials.research_id = ${researchId}`);
  return rows.rows[0] ?? NOTHING;
}
