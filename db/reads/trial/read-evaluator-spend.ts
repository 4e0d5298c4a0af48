import { sql } from 'drizzle-orm';
import type { EvaluatorSpend } from '../../../view/trial/evaluator-model.ts';
import type { Tx } from '../../connect.ts';

/** Spend of the model calls of a trial's evaluator, repeated ones included. */
export async function readEvaluatorSpend(db: Tx, { trialId }: { trialId: string }): Promise<EvaluatorSpend> {
  const { rows } = await db.execute<EvaluatorSpend & Record<string, unknown>>(sql`
    select (count(*) + coalesce(sum(repeated), 0))::int as calls,
      coalesce(sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)), 0)::float8 as tokens,
      sum(usd) as usd
    from calls where trial_id = ${trialId} and role = 'evaluator'`);
  return rows[0] ?? { calls: 0, tokens: 0, usd: null };
}
