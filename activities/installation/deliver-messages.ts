import type { Delivery } from '../../db/notify/deliveries.ts';
import type { StoredSink } from '../../db/notify/read-sinks.ts';
import type { Message } from '../../domain/notify/message.ts';
import { MOST_LINES, noticeOf, shortLine } from '../../domain/notify/notice.ts';
import { pauseAfter } from '../../domain/notify/plan.ts';
import type { Sink } from '../../domain/notify/sink.ts';
import type { ActivityDeps, PickDeps } from '../deps.ts';

type Deps = PickDeps<'messages', 'send'> &
  Pick<ActivityDeps, 'reach'> & { store: Pick<ActivityDeps['store'], 'notify'> };

type Sent = Awaited<ReturnType<Deps['messages']['send']>>;

/** Time after which no further delivery to a sink begins in one call, in ms. The next call continues. */
const BUSY_MS = 60_000;

interface Call {
  sinks: readonly StoredSink[];
  /** Present time, by the database's clock. */
  now: Date;
  signal: AbortSignal;
}

/**
 * Sends what is due. Each sink is served by itself, so that a slow one delays no other. A message is marked as
 * delivered after the sink took it: a worker that dies between leaves it, and it is sent again with the same id.
 */
export async function deliverMessages(deps: Deps, { sinks, now, signal }: Call): Promise<void> {
  const served = sinks.map(async ({ name, spec }) => {
    await deps.store.notify.planSink({ sink: name, now });
    // A spec of another version is served by workers of that version.
    if (spec !== null) await serve(deps, { spec, now, signal });
  });
  const failed = (await Promise.allSettled(served)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Failed deliveries after which a sink gets no other in one call. One may be refused for its content. */
const MOST_FAILED = 2;

async function serve(deps: Deps, { spec, now, signal }: { spec: Sink } & Omit<Call, 'sinks'>): Promise<void> {
  const begun = Date.now();
  const failed: string[] = [];
  while (!signal.aborted && Date.now() - begun < BUSY_MS && failed.length < MOST_FAILED) {
    const delivery = await deps.store.notify.nextDelivery({ sink: spec.name, now, without: failed });
    if (delivery === null) return;
    if (!(await send(deps, { spec, delivery, now, signal }))) failed.push(delivery.id);
  }
}

/** Sends one delivery, and stores the result. False if the sink did not take it. */
async function send(
  { store, messages, reach }: Deps,
  { spec, delivery, now, signal }: { spec: Sink; delivery: Delivery } & Omit<Call, 'sinks'>,
): Promise<boolean> {
  const { id, kind, createdAt, attempts } = delivery;
  const attempt = async (): Promise<Sent> => {
    const notice = noticeOf({
      id,
      kind,
      sink: spec.name,
      messages: await withClaims(store, delivery),
      now: createdAt,
    });
    return messages.send(spec, notice, signal);
  };
  // A row that cannot be read is this delivery's failure: the sink's others go on.
  const sent = await attempt().catch((error: unknown): Sent => ({ ok: false, error: shortLine(String(error)) }));
  // A stopping worker ends the attempt; the next one begins at once.
  if (signal.aborted && !sent.ok) return false;
  reach('message-sent');
  if (sent.ok) await store.notify.markDelivered({ id, now });
  else
    await store.notify.markFailed({
      id,
      error: sent.error,
      nextAt: new Date(now.getTime() + pauseAfter(attempts + 1)),
    });
  return sent.ok;
}

/** Messages with the texts of their claims, as far as the notice shows them. */
async function withClaims(store: Deps['store'], { kind, messages }: Delivery): Promise<Message[]> {
  if (kind === 'rest') return messages;
  const shown: Message[] = [];
  for (const message of messages.slice(0, MOST_LINES)) shown.push(await withClaim(store, message));
  return [...shown, ...messages.slice(MOST_LINES)];
}

async function withClaim({ notify }: Deps['store'], message: Message): Promise<Message> {
  if (message.kind !== 'claim') return message;
  const title = await notify.readClaimText(message);
  return title === null ? message : { ...message, body: { ...message.body, title } };
}
