import type { ProtocolRule } from '../../../domain/gateway/protocol.ts';
import type { Exchange, GatewaySettings } from '../exchange.ts';
import type { GatewayEndpoint } from '../endpoints.ts';
import { passAnswer, UNREAD } from './answer.ts';
import { refuse } from '../refuse.ts';
import { type Outgoing, send } from '../send.ts';
import { movedRefusal, signalOf, unreachable } from '../troubles.ts';

/** A request to an endpoint, ready to be sent. */
export interface Prepared {
  endpoint: GatewayEndpoint;
  outgoing: Omit<Outgoing, 'signal' | 'body'>;
  rule: ProtocolRule;
}

/** Passes a question that costs no tokens, such as the list of models. No row counts it. */
export async function passQuestion(
  exchange: Exchange,
  prepared: Prepared & { body: Buffer },
  settings: GatewaySettings,
): Promise<void> {
  const { response } = exchange;
  const { endpoint, outgoing, rule, body } = prepared;
  const signal = signalOf(response);
  const answer = await send({ ...outgoing, body, signal }, settings).catch((error: unknown) => {
    const { detail, refusal } = unreachable(prepared, error);
    settings.log(`model gateway: ${detail}`);
    refuse(response, refusal);
    return null;
  });
  if (answer === null) return;
  if (isRedirect(answer.statusCode)) {
    answer.destroy();
    return refuse(response, movedRefusal(rule));
  }
  const isWhole = await passAnswer(answer, { response, key: endpoint.key, passage: UNREAD });
  if (isWhole) response.end();
  else response.destroy();
}

/** True for a status that sends the caller to another address. 304 does not. */
export const isRedirect = (status = 0): boolean => status >= 300 && status < 400 && status !== 304;
