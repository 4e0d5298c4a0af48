import { sql } from 'drizzle-orm';
import { afterEach, beforeEach } from 'vitest';
import { deliverMessages } from '../../../activities/installation/deliver-messages.ts';
import { applySinks } from '../../../db/notify/apply-sinks.ts';
import { messageDeliveries, messages } from '../../../db/schema.ts';
import type { NewEvent } from '../../../domain/event/kinds.ts';
import type { Notice } from '../../../domain/notify/message.ts';
import { Notify } from '../../../domain/notify/sink.ts';
import { sendNotice } from '../../../infra/notify/send.ts';
import { useDatabase } from '../../db/support.ts';
import { openReceiver, type Receiver } from '../../support/receiver.ts';

/** Key that signs the messages of the webhook. */
export const KEY = 'key-of-the-webhook';
export const MINUTE = 60_000;
export const HOUR = 3_600_000;

/** A time after the start of the test, by the clock of the database and of this machine, which are one. */
export const later = (ms: number): Date => new Date(Date.now() + ms);

export const claim = (researchId: string, n: number): NewEvent => ({
  kind: 'claim-made',
  researchId,
  n,
  data: { candidateId: `c${n}`, previous: 'c0', value: 1 / n, sd: 0.01, runs: 6, by: 'gate', reason: 'better' },
});

/** A database without messages, and a web server that receives those of the sink `hook`, for each test of a file. */
export function useMessages() {
  const bench = useDatabase();
  const current: { receiver?: Receiver } = {};
  const receiver = (): Receiver => {
    if (current.receiver === undefined) throw new Error('expected a test that has begun');
    return current.receiver;
  };
  beforeEach(async () => {
    current.receiver = await openReceiver();
    await bench.db.execute(sql`truncate messages, message_deliveries, sinks, events, attention_entries`);
    await bench.db.execute(sql`delete from researches`);
  });
  afterEach(() => receiver().close());

  const deps = (store = bench.store, reach: () => void = () => undefined) => ({
    store,
    reach,
    messages: {
      send: (sink: Parameters<typeof sendNotice>[0], notice: Notice, signal: AbortSignal) =>
        sendNotice(sink, notice, { env: { KEY }, commandEnv: {}, now: new Date(), signal }),
    },
  });
  const got = (): Notice[] => receiver().requests.map(({ body }) => JSON.parse(body) as Notice);
  return {
    bench,
    receiver,
    deps,
    got,
    hook: (more = {}) => ({
      name: 'hook',
      type: 'webhook',
      url: receiver().url,
      key: '$KEY',
      allowPrivate: true,
      soonMinutes: 0,
      send: ['now', 'soon'],
      ...more,
    }),
    apply: (...sinks: object[]) => applySinks(bench.db, Notify.parse({ sinks })),
    insert: (...events: NewEvent[]) => bench.store.event.insertEvents(events),
    end: (researchId: string, phase: 'stopped' | 'failed' = 'stopped') =>
      bench.store.research.recordPhase({
        researchId,
        phase,
        reason: 'the budget is spent',
        window: 1,
        activeSeconds: 1,
      }),
    deliver: async (now: Date, more = deps()) =>
      deliverMessages(more, { sinks: await bench.store.notify.readSinks(), now, signal: new AbortController().signal }),
    titles: (): string[] => got().map(({ title }) => title),
    counts: async () => [await bench.db.$count(messages), await bench.db.$count(messageDeliveries)],
  };
}
