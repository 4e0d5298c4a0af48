import { sql } from 'drizzle-orm';
import type { CallAnswer, CallUsage } from '../../../domain/gateway/call.ts';
import { cleanText } from '../../../domain/json/clean-text.ts';
import type { Tx } from '../../connect.ts';
import { compress } from './compress.ts';

interface Sending {
  trialId: string;
  turn: number;
  /** Mark of the sending that was answered. */
  mark: string;
}

interface Charge {
  usage: CallUsage;
  usd: number | null;
}

export type GatewayAnswer = Sending & Charge & Omit<CallAnswer, 'usage'>;

/** Status of an endpoint that refuses a request as too many. */
const TOO_MANY = 429;

/** The open row of a sending: one that has its answer or error, or was sent again, stays. */
const isOpen = ({ trialId, turn, mark }: Sending) => sql`
  trial_id = ${trialId} and turn = ${turn} and sent_at = ${mark}::timestamptz and answered_at is null
    and error is null`;

/**
 * Adds to a row what its sending cost: an earlier sending of the same request was paid for, too. The research is
 * charged by {@link charging}.
 */
const adding = ({ usage, usd }: Charge) => sql`
  tokens_in = ${added('tokens_in', usage.tokensIn)}, tokens_out = ${added('tokens_out', usage.tokensOut)},
  tokens_cached = ${added('tokens_cached', usage.tokensCached)},
  tokens_reasoning = ${added('tokens_reasoning', usage.tokensReasoning)},
  estimated = estimated or ${usage.estimated}, usd = ${added('usd', usd)}`;

const added = (column: string, amount: number | null) => {
  const name = sql.identifier(column);
  return amount === null ? name : sql`coalesce(${name}, 0) + ${amount}`;
};

/** Charges the research of the row that `saved` returned. */
const charging = ({ usage, usd }: Charge) => sql`
  update researches set tokens = tokens + ${(usage.tokensIn ?? 0) + (usage.tokensOut ?? 0)}, usd = usd + ${usd ?? 0}
  from saved join trials on trials.id = saved.trial_id where researches.id = trials.research_id`;

/** Stores the answer to a sending and charges its research, in one statement. A repeated call does nothing. */
export async function endGatewayCall(db: Tx, answer: GatewayAnswer): Promise<void> {
  const body = await compress(answer.body);
  await db.execute(sql`
    with saved as (
      update calls set answered_at = now(), status = ${answer.status}, cut = ${answer.cut},
        latency_seconds = ${answer.latencySeconds}, ${adding(answer)}
      where ${isOpen(answer)} returning trial_id, role, turn),
    kept as (
      insert into call_parts (trial_id, role, n, body) select trial_id, role, -1 - turn, ${body} from saved
      on conflict (trial_id, role, n) do update set body = excluded.body)
    ${charging(answer)}`);
}

export interface GatewayError extends Sending, Charge {
  error: string;
  /** Body of an evaluator's error, which may quote its prompt: it is kept where no page can read it. Null: none. */
  withheld: string | null;
  status: number | null;
  latencySeconds: number | null;
}

/** Stores why a sending has no answer, and charges what its endpoint reported. A repeated call does nothing. */
export async function failGatewayCall(db: Tx, failed: GatewayError): Promise<void> {
  const { status, withheld } = failed;
  const body = withheld === null ? null : await compress(withheld);
  await db.execute(sql`
    with saved as (
      update calls set error = ${cleanText(failed.error).slice(0, 4000)}, status = ${status}, failed = failed + 1,
        limited = limited + ${status === TOO_MANY ? 1 : 0}, latency_seconds = ${failed.latencySeconds},
        ${adding(failed)}
      where ${isOpen(failed)} returning trial_id, role, turn),
    kept as (
      insert into call_parts (trial_id, role, n, body)
      select trial_id, role, -1 - turn, ${body}::bytea from saved where ${body}::bytea is not null
      on conflict (trial_id, role, n) do update set body = excluded.body)
    ${charging(failed)}`);
}
