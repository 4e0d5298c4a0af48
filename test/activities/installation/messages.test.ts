import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, describe, expect, test } from 'vitest';
import { makeDigests } from '../../../activities/installation/make-digests.ts';
import { removeSink } from '../../../db/notify/apply-sinks.ts';
import { deleteResearch } from '../../../db/research/delete-research.ts';
import { readReport } from '../../../db/reads/report/read-report.ts';
import { readResearch } from '../../../db/reads/read-research.ts';
import { messageDeliveries, messages } from '../../../db/schema.ts';
import type { NewEvent } from '../../../domain/event/kinds.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { claim, HOUR, KEY, later, MINUTE, useMessages } from './support.ts';

const { bench, receiver, deps, got, hook, apply, insert, end, deliver, titles, counts } = useMessages();
const folder = mkdtempSync(join(tmpdir(), 'perpetua-messages-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ended = (researchId: string): NewEvent => ({
  kind: 'trial-ended',
  researchId,
  n: 1,
  data: { kind: 'search', status: 'crashed', failure: 'exit-code', value: null, seconds: 3 },
});

describe('the outbox', () => {
  test('has a message for each claim and end, in the transaction of the event, and no other', async () => {
    await insertResearch(bench.db, 'toy');
    await insert(claim('toy', 1));
    expect(await counts()).toEqual([0, 0]);
    await apply(hook(), { ...hook(), name: 'quiet', send: ['digest'] });
    await insert(ended('toy'), claim('toy', 2));
    await end('toy');
    await end('toy');
    const failing = bench.db.transaction(async (tx) => {
      const { insertEvents } = await import('../../../db/event/insert-events.ts');
      await insertEvents(tx, [claim('toy', 3)]);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    const rows = await bench.db.select().from(messages);
    expect(rows.map(({ sink, kind, researchId }) => [sink, kind, researchId])).toEqual([
      ['hook', 'claim', 'toy'],
      ['hook', 'end', 'toy'],
    ]);
    await deliver(later(MINUTE));
    expect(got()).toMatchObject([{ kind: 'news', title: '1 claim, 1 end of a research', researches: ['toy'] }]);
    expect(got()[0]?.lines[1]).toBe('toy: it has ended: the budget is spent');
  });

  test('has messages only for sinks that a research names, and none for a check', async () => {
    await insertResearch(bench.db, 'mine', { notify: ['a'] });
    await insertResearch(bench.db, 'all');
    await insertResearch(bench.db, 'check/toy/1');
    await apply({ ...hook(), name: 'a' }, { ...hook(), name: 'b' });
    await insert(claim('mine', 1), claim('all', 1), claim('check/toy/1', 1));
    const rows = await bench.db.select().from(messages);
    expect(rows.map(({ sink, researchId }) => `${researchId} ${sink}`).sort()).toEqual(['all a', 'all b', 'mine a']);
  });

  test('has one message for a failure: as what needs you, or as an end for a sink without `now`', async () => {
    await insertResearch(bench.db, 'toy');
    await apply(hook(), { ...hook(), name: 'news', send: ['soon'] });
    await end('toy', 'failed');
    await bench.store.notify.recordNeeds({ now: later(0) });
    await bench.store.notify.recordNeeds({ now: later(MINUTE) });
    const rows = await bench.db.select().from(messages);
    expect(rows.map(({ sink, kind }) => `${sink} ${kind}`).sort()).toEqual(['hook needs-you', 'news end']);
    await deliver(later(MINUTE));
    expect(titles().sort()).toEqual([
      'toy: it has failed: the budget is spent',
      'toy: needs you: The research has failed',
    ]);
  });

  test('is deleted with its research and with its sink', async () => {
    await insertResearch(bench.db, 'toy', { phase: 'stopped' });
    await insertResearch(bench.db, 'other');
    await apply(hook());
    await insert(claim('toy', 1));
    await deliver(later(MINUTE));
    await insert(claim('other', 1));
    await deleteResearch(bench.db, { id: 'toy', phase: 'stopped' });
    expect(await counts()).toEqual([1, 0]);
    expect(await removeSink(bench.db, 'hook')).toBe(true);
    expect(await counts()).toEqual([0, 0]);
  });
});

describe('delivery', () => {
  test('an outage of ten minutes is a message, its end closes it, and a shorter one is none', async () => {
    await insertResearch(bench.db, 'toy');
    await apply(hook());
    const down = (why: string | null) => bench.store.call.recordEndpoint({ researchId: 'toy', down: why });
    await down('model endpoint: https://api.example.com answered 503');
    for (const minutes of [1, 9, 11, 12]) {
      await bench.store.notify.recordNeeds({ now: later(minutes * MINUTE) });
      await deliver(later(minutes * MINUTE));
    }
    expect(titles()).toEqual(['toy: needs you: The proposer gets no answer']);
    await down(null);
    for (const minutes of [42, 43]) {
      await bench.store.notify.recordNeeds({ now: later(minutes * MINUTE) });
      await deliver(later(minutes * MINUTE));
    }
    expect(titles().slice(1)).toEqual(['toy: over after 42 min: The proposer gets no answer']);
    expect(got()[0]?.commands).toEqual(['npx perpetua doctor']);
  });

  test('an entry whose end comes before its message was planned is withdrawn', async () => {
    await insertResearch(bench.db, 'toy', { phase: 'failed', reason: 'broken' });
    await apply(hook());
    await bench.store.notify.recordNeeds({ now: later(MINUTE) });
    expect(await counts()).toEqual([1, 0]);
    await bench.store.research.updateResearch('toy', { phase: 'running' });
    await bench.store.notify.recordNeeds({ now: later(2 * MINUTE) });
    expect(await counts()).toEqual([0, 0]);
  });

  test('a sink that is down for a day loses none, and gets each once, in order', async () => {
    await insertResearch(bench.db, 'toy');
    await apply(hook());
    receiver().answer = { status: 503, body: `down ${KEY}` };
    for (let hour = 0; hour < 12; hour += 1) {
      await insert(claim('toy', hour + 1));
      await deliver(later(hour * 2 * HOUR + MINUTE));
    }
    const tries = receiver().requests.length;
    // Back-off: at most two attempts a call.
    expect(tries).toBeLessThanOrEqual(24);
    const open = await bench.db.select().from(messageDeliveries);
    // Once the sink is down, no delivery is made: what waits is joined.
    expect(open).toHaveLength(3);
    expect(open.map(({ lastError }) => lastError)).toContain('it answered 503 down [secret]');
    const rows = await bench.db.execute(sql`select sinks, m, d from sinks, messages m, message_deliveries d`);
    expect(JSON.stringify(rows.rows)).not.toContain(KEY);
    receiver().requests.length = 0;
    receiver().answer = { status: 200, body: 'ok' };
    await deliver(later(26 * HOUR));
    await deliver(later(27 * HOUR));
    const texts = got().flatMap(({ title, lines }) => (lines.length === 0 ? [title] : lines));
    expect(texts).toEqual(
      Array.from(
        { length: 12 },
        (_, index) => expect.stringContaining(`toy: the best is now #${index + 1} `) as string,
      ),
    );
    expect(new Set(got().map(({ id }) => id)).size).toBe(4);
  });

  test('if the mark of a delivery is lost, it comes again with the same id and the same content', async () => {
    await insertResearch(bench.db, 'toy');
    await apply(hook());
    await insert(claim('toy', 1));
    const dies = deps(bench.store, () => {
      throw new Error('the worker died');
    });
    await expect(deliver(later(MINUTE), dies)).rejects.toThrow('the worker died');
    await insert(claim('toy', 2));
    await deliver(later(2 * MINUTE));
    await deliver(later(3 * MINUTE));
    const [first, again, next, ...others] = got();
    expect(again).toEqual(first);
    expect(next?.id).not.toBe(first?.id);
    expect(others).toEqual([]);
  });

  test('a slow or broken sink keeps no message from another one', async () => {
    await insertResearch(bench.db, 'toy');
    const path = join(folder, 'file.jsonl');
    await apply(hook({ key: '$MISSING' }), { name: 'file', type: 'file', path, soonMinutes: 0 });
    await insert(claim('toy', 1));
    await deliver(later(MINUTE));
    expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(1);
    const rows = await bench.db.select().from(messageDeliveries);
    expect(rows.find(({ sink }) => sink === 'hook')?.lastError).toMatch(/expected the variable MISSING/);
  });

  test('at most 20 messages an hour arrive, then one that counts the rest', async () => {
    await insertResearch(bench.db, 'toy');
    await apply(hook());
    const begin = later(5 * MINUTE).getTime();
    const deliverAt = (ms: number) => deliver(new Date(begin + ms));
    for (let second = 0; second < 57; second += 1) {
      await insert(claim('toy', second + 1));
      await deliverAt(second * 1000);
    }
    expect(receiver().requests).toHaveLength(20);
    await deliverAt(HOUR - 2000);
    expect(receiver().requests).toHaveLength(20);
    await deliverAt(HOUR + 2 * MINUTE);
    expect(got().slice(20)).toMatchObject([
      {
        kind: 'rest',
        title: expect.stringMatching(/^and \d+ more in the last 2 hours$/) as string,
        commands: ['npx perpetua report --since 2h'],
      },
    ]);
    const left = await bench.db
      .select()
      .from(messages)
      .where(sql`delivery is null`);
    expect(left).toEqual([]);
  });
});

describe('the daily report', () => {
  const digest = async (now: Date) => {
    await makeDigests(deps(), { sinks: await bench.store.notify.readSinks(), now });
    await deliver(now);
  };

  test('comes once a day, and after an absence of three days once for all of them', async () => {
    await insertResearch(bench.db, 'toy');
    await apply(hook({ send: ['digest'] }));
    await digest(later(0));
    expect(got()).toEqual([]);
    await digest(later(24 * HOUR));
    await digest(later(24 * HOUR + MINUTE));
    expect(got()).toMatchObject([{ kind: 'digest', commands: [expect.stringContaining('report --since') as string] }]);
    await digest(later(4 * 24 * HOUR));
    await digest(later(4 * 24 * HOUR + MINUTE));
    expect(got()).toHaveLength(2);
    const hours = Number(/the last (\d+) hours/.exec(titles()[1] ?? '')?.[1]);
    expect(hours).toBeGreaterThan(71);
  });

  test('says what the report says, in at most ten lines', async () => {
    for (const id of ['a', 'b', 'c']) await insertResearch(bench.db, id);
    await apply(hook({ send: ['digest'] }));
    const now = later(24 * HOUR);
    await digest(now);
    const [notice] = got();
    expect(notice?.lines.length).toBeLessThanOrEqual(10);
    expect(notice?.lines.filter((line) => !/^[abc]: /.test(line))).toEqual([]);
    const research = await readResearch(bench.db, { researchId: 'a' });
    if (!research) throw new Error('Expected the research');
    const report = await readReport(bench.db, { research, since: later(0), now });
    expect(notice?.lines.find((line) => line.startsWith('a: '))).toContain(`${report.claims.length} new claims`);
  });

  test('comes also if no research is there: it is the sign of life', async () => {
    await apply(hook({ send: ['digest'] }));
    await digest(later(24 * HOUR));
    expect(got()).toMatchObject([{ lines: ['no research is under way, and none has ended since'] }]);
  });
});
