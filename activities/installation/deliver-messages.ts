import type { Delivery } from '../../db/notify/deliveries.ts';
import type { StoredSink } from '../../db/notify/read-sinks.ts';
import type { Message } from '../../domain/notify/message.ts';
import { noticeOf } from '../../domain/notify/notice.ts';
import { pauseAfter } from '../../domain/notify/plan.ts';
import type { Sink } from '../../domain/notify/sink.ts';
import type { ActivityDeps, PickDeps } from '../deps.ts';

type Deps = PickDeps<'messages', 'send'> &
  Pick<ActivityDeps, 'reach'> & { store: Pick<ActivityDeps['store'], 'notify'> };

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

async function serve(deps: Deps, { spec, now, signal }: { spec: Sink } & Omit<Call, 'sinks'>): Promise<void> {
  const begun = Date.now();
  while (!signal.aborted && Date.now() - begun < BUSY_MS) {
    const delivery = await deps.store.notify.nextDelivery({ sink: spec.name, now });
    if (delivery === null) return;
    if (!(await send(deps, { spec, delivery, now, signal }))) return;
  }
}

/** Sends one delivery, and stores the result. False if the sink did not take it: it gets no other in this call. */
async function send(
  { store, messages, reach }: Deps,
  { spec, delivery, now, signal }: { spec: Sink; delivery: Delivery } & Omit<Call, 'sinks'>,
): Promise<boolean> {
  const { id, kind, createdAt, attempts } = delivery;
  const told = await Promise.all(delivery.messages.map((message) => withClaim(store, message)));
  const notice = noticeOf({ id, kind, sink: spec.name, messages: told, now: createdAt });
  const sent = await messages.send(spec, notice, signal);
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

async function withClaim({ notify }: Deps['store'], message: Message): Promise<Message> {
  if (message.kind !== 'claim') return message;
  const title = await notify.readClaimText(message);
  return title === null ? message : { ...message, body: { ...message.body, title } };
}
