import { sql } from 'drizzle-orm';
import type { Spend } from '../../domain/budget.ts';
import type { TrialKind } from '../../domain/trial.ts';
import type { Tx } from '../connect.ts';

/** What a research has used so far; trials under way count. */
export async function readSpend(
  tx: Tx,
  input: { researchId: string; counts: TrialKind[]; activeSeconds: number },
): Promise<Spend> {
  const kinds = sql.join(
    input.counts.map((kind) => sql`${kind}`),
    sql`, `,
  );
  const counted = input.counts.length > 0 ? sql`count(*) filter (where kind in (${kinds}))` : sql`0`;
  const trials = await tx.execute<{ n: number }>(
    sql`select ${counted}::int as n from trials where research_id = ${input.researchId}`,
  );
  const calls = await tx.execute<{ tokens: number; usd: number }>(sql`
    select coalesce(sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)), 0)::float8 as tokens, coalesce(sum(usd), 0)::float8 as usd
    from calls join trials on trials.id = calls.trial_id where trials.research_id = ${input.researchId}`);
  return {
    trials: trials.rows[0]?.n ?? 0,
    hours: input.activeSeconds / 3600,
    tokens: calls.rows[0]?.tokens ?? 0,
    usd: calls.rows[0]?.usd ?? 0,
  };
}
