import { MockActivityEnvironment } from '@temporalio/testing';
import { sql } from 'drizzle-orm';
import { describe, expect, test, vi } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createInstallationActivities } from '../../../activities/installation/tend.ts';
import { messageDeliveries, messages } from '../../../db/schema.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { claim, HOUR, later, MINUTE, useMessages } from './support.ts';

const { bench, receiver, deps, got, hook, apply, insert, end, deliver, titles, counts } = useMessages();

test('an event whose sink is being removed is stored without a message', async () => {
  await insertResearch(bench.db, 'toy');
  await apply(hook());
  let inserted: Promise<void> | undefined;
  await bench.db.transaction(async (tx) => {
    await tx.execute(sql`delete from sinks`);
    inserted = bench.another().event.insertEvents([claim('toy', 1)]);
    // The insert waits for the lock of the removed row.
    await vi.waitFor(async () => {
      const { rows } = await bench.db.execute(
        sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into messages%'
          and datname = current_database()`,
      );
      expect(rows).toHaveLength(1);
    });
  });
  await inserted;
  expect(await counts()).toEqual([0, 0]);
});

test('an entry whose name is cut within a character appears once', async () => {
  await insertResearch(bench.db, 'toy', { phase: 'failed', reason: `${'x'.repeat(59)}\u{1f600} broken` });
  await apply(hook());
  for (const minute of [1, 2, 3]) {
    await bench.store.notify.recordNeeds({ now: later(minute * MINUTE) });
    await deliver(later(minute * MINUTE));
  }
  expect(titles()).toEqual(['toy: needs you: The research has failed']);
});

test('after an outage of a day with many claims, all arrive, joined, in their order', async () => {
  await insertResearch(bench.db, 'toy');
  await apply(hook());
  receiver().answer = { status: 503, body: 'down' };
  const begin = later(5 * MINUTE).getTime();
  for (let turn = 0; turn < 60; turn += 1) {
    await insert(claim('toy', turn + 1));
    await deliver(new Date(begin + turn * 20 * MINUTE));
  }
  receiver().requests.length = 0;
  receiver().answer = { status: 200, body: 'ok' };
  const over = begin + 20 * HOUR + HOUR;
  await deliver(new Date(over));
  await deliver(new Date(over + MINUTE));
  await deliver(new Date(over + 2 * HOUR));
  expect(got().map(({ kind }) => kind)).toEqual(Array.from({ length: 6 }, () => 'news'));
  const numbers = got().flatMap(({ title, lines }) => (lines.length === 0 ? [title] : lines).map(numberOf));
  expect(numbers).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
});

const numberOf = (line: string): number => Number(/#(\d+) /.exec(line)?.[1]);

/** Outages of the model endpoint as the messages see them. */
const endpoint = (why: string | null) => bench.store.call.recordEndpoint({ researchId: 'toy', down: why });
const turn = async (ms: number) => {
  await bench.store.notify.recordNeeds({ now: later(ms) });
  await deliver(later(ms));
};

describe('after an outage of a sink', () => {
  test('"needs you" comes before "over", though the sink refused it before', async () => {
    await insertResearch(bench.db, 'toy');
    await apply(hook());
    receiver().answer = { status: 503, body: 'down' };
    await endpoint('model endpoint: it answered 503');
    for (const minutes of [11, 12, 14, 18]) await turn(minutes * MINUTE);
    receiver().requests.length = 0;
    receiver().answer = { status: 200, body: 'ok' };
    await endpoint(null);
    // The refused message would be tried again at 26 minutes, by its own pauses.
    for (const minutes of [20, 21]) await turn(minutes * MINUTE);
    expect(titles()).toEqual([
      'toy: needs you: The proposer gets no answer',
      'toy: over after 20 min: The proposer gets no answer',
    ]);
  });

  test('an entry that began and ended while the sink was down is not sent', async () => {
    await insertResearch(bench.db, 'toy');
    await apply(hook());
    receiver().answer = { status: 503, body: 'down' };
    for (const n of [1, 2, 3]) {
      await insert(claim('toy', n));
      await turn(n * MINUTE);
    }
    await endpoint('model endpoint: it answered 503');
    await turn(15 * MINUTE);
    await endpoint(null);
    await turn(30 * MINUTE);
    receiver().requests.length = 0;
    receiver().answer = { status: 200, body: 'ok' };
    for (const minutes of [120, 121, 122]) await turn(minutes * MINUTE);
    expect(titles().map(numberOf)).toEqual([1, 2, 3]);
    expect(await bench.db.$count(messages)).toBe(3);
  });
});

test('messages that the sink refuses for their content stop no other', async () => {
  await insertResearch(bench.db, 'toy');
  await apply(hook());
  const { send } = deps().messages;
  const refuses: typeof send = (sink, notice, signal) =>
    /#[123] /.test(notice.title) ? Promise.resolve({ ok: false, error: 'refused' }) : send(sink, notice, signal);
  for (const n of [1, 2, 4, 3, 5, 6]) {
    await insert(claim('toy', n));
    await deliver(later(n * MINUTE + HOUR), { ...deps(), messages: { send: refuses } });
  }
  await deliver(later(2 * HOUR), { ...deps(), messages: { send: refuses } });
  expect(titles().map(numberOf).sort()).toEqual([4, 5, 6]);
});

test('a row that cannot be read fails its delivery alone', async () => {
  await insertResearch(bench.db, 'toy');
  await apply(hook());
  const unreadable = () => Promise.reject(new Error('a damaged row'));
  const store = { ...bench.store, notify: { ...bench.store.notify, readClaimText: unreadable } };
  await insert(claim('toy', 1));
  await deliver(later(MINUTE), deps(store));
  await end('toy');
  await deliver(later(1.5 * MINUTE), deps(store));
  expect(titles()).toEqual(['toy: it has ended: the budget is spent']);
  const rows = await bench.db.select().from(messageDeliveries);
  expect(rows.map(({ lastError }) => lastError).sort()).toEqual(['Error: a damaged row', null]);
  await deliver(later(HOUR));
  expect(titles()).toHaveLength(2);
});

test('a part of the work of a minute that fails keeps no message from its sink', async () => {
  await insertResearch(bench.db, 'toy');
  await apply(hook());
  await insert(claim('toy', 1));
  const fails = () => Promise.reject(new Error('a damaged row'));
  const notify = { ...bench.store.notify, recordNeeds: fails, readClock: () => Promise.resolve(later(MINUTE)) };
  const { tend } = createInstallationActivities({
    ...deps({ ...bench.store, notify }),
  } as unknown as ActivityDeps);
  await expect(new MockActivityEnvironment().run(tend)).rejects.toThrow('a damaged row');
  expect(titles()).toHaveLength(1);
});
