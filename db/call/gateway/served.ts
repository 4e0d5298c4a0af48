import { sql } from 'drizzle-orm';
import type { Protocol } from '../../../domain/gateway/call.ts';
import type { Tx } from '../../connect.ts';

/** True for a call through the gateway that the endpoint answered in full. */
export const isWhole = sql.raw(`calls.answered_at is not null and not calls.cut and calls.status between 200 and 299`);

/**
 * True if the endpoint answered a later call of another trial of the same research in full. `model`: only answers of
 * this model count; null: those of any model.
 */
export async function hasServedOthers(
  db: Tx,
  { trialId, protocol, model, seconds }: { trialId: string; protocol: Protocol; model: string | null; seconds: number },
): Promise<boolean> {
  const { rows } = await db.execute<{ served: boolean }>(sql`
    select exists (
      select 1 from calls join trials on trials.id = calls.trial_id
      where trials.research_id = (select research_id from trials where id = ${trialId}) and trials.id <> ${trialId}
        and calls.sent_at > clock_timestamp() - interval '1 second' * ${seconds}::float8
        and calls.protocol = ${protocol} and calls.model = coalesce(${model}::text, calls.model)
        and ${isWhole}) as served`);
  return rows[0]?.served === true;
}
