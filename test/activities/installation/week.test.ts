import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { isNull } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createInstallationActivities } from '../../../activities/installation/tend.ts';
import { applySinks } from '../../../db/notify/apply-sinks.ts';
import { messageDeliveries, messages } from '../../../db/schema.ts';
import type { NewEvent } from '../../../domain/event/kinds.ts';
import type { Notice } from '../../../domain/notify/message.ts';
import { Notify } from '../../../domain/notify/sink.ts';
import { sendNotice } from '../../../infra/notify/send.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';
import { skipTime, type SkippedTime } from '../../support/database/skipped-time.ts';
import { claim, HOUR, MINUTE } from './support.ts';

const bench = useDatabase();
const folder = mkdtempSync(join(tmpdir(), 'perpetua-week-'));
const sinkFolder = join(folder, 'sink');
const path = join(sinkFolder, 'messages.jsonl');
const opened: { time?: SkippedTime } = {};
const time = (): SkippedTime => {
  if (opened.time === undefined) throw new Error('expected a test that has begun');
  return opened.time;
};
beforeAll(async () => {
  mkdirSync(sinkFolder);
  opened.time = await skipTime(bench);
});
afterAll(async () => {
  await opened.time?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Monday. On Sunday, clocks in Berlin go back by an hour. */
const START = Date.parse('2026-10-19T00:00:00Z');
const DAY = 24 * HOUR;
const at = (day: number, clock: string): number => {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return START + day * DAY + hours * HOUR + minutes * MINUTE;
};

async function claimed(n: number): Promise<void> {
  const { store } = time();
  const value = 2 - n / 100;
  await store.research.insertClaim({
    researchId: 'toy',
    candidateId: `c${n}`,
    ofTrial: n,
    value,
    n: 6,
    reason: 'better',
  });
  await store.event.insertEvents([claim('toy', n)]);
}
const endpoint = (down: string | null) => async (): Promise<unknown> =>
  time().store.call.recordEndpoint({ researchId: 'toy', down });
const fails = endpoint('model endpoint: https://api.example.com answered 503');
const answers = endpoint(null);
const insert = async (events: NewEvent[]): Promise<void> => time().store.event.insertEvents(events);

const crashes = Array.from({ length: 500 }, (_, index): NewEvent => ({
  kind: 'trial-ended',
  researchId: 'toy',
  n: 100 + index,
  data: { kind: 'search', status: 'crashed', failure: 'exit-code', value: null, seconds: 3 },
}));
const discards = crashes.map(({ n }): NewEvent => ({
  kind: 'trial-ruled',
  researchId: 'toy',
  n: n ?? 0,
  data: { verdict: 'discard', reason: 'not better', by: 'gate' },
}));
const takenBack: NewEvent = {
  kind: 'claim-taken-back',
  researchId: 'toy',
  n: 9,
  data: { candidateId: 'c9', inPlace: 'c3', inPlaceTrial: 3, value: 1.97, by: 'gate', reason: 'worse when re-run' },
};

/** The events of the week, in their order. */
const SCRIPT: [at: number, act: () => unknown][] = [
  [at(0, '03:00'), () => claimed(3)],
  [at(0, '03:04'), () => claimed(9)],
  [at(1, '00:05'), () => insert([takenBack])],
  [at(1, '12:00'), () => insert([...crashes, ...discards])],
  // Nine minutes need nobody.
  [at(2, '00:00'), fails],
  [at(2, '00:09'), answers],
  // A trouble that begins, ends and begins again.
  [at(3, '00:00'), fails],
  [at(3, '00:42'), answers],
  [at(3, '02:00'), fails],
  [at(3, '02:20'), answers],
  // The sink is down for a day. Its user knows of the trouble that began before.
  [at(4, '06:10'), fails],
  [at(4, '06:30'), () => renameSync(sinkFolder, `${sinkFolder}-away`)],
  [at(4, '06:31'), answers],
  ...[10, 11, 12, 13, 14, 15].map((n): [number, () => unknown] => [at(4, `${n}:00`), () => claimed(n)]),
  [at(4, '20:00'), fails],
  [at(4, '21:00'), answers],
  [at(5, '06:30'), () => renameSync(`${sinkFolder}-away`, sinkFolder)],
  [
    at(6, '10:00'),
    () =>
      time().store.research.recordPhase({
        researchId: 'toy',
        phase: 'stopped',
        reason: 'the budget is spent',
        window: 1,
        activeSeconds: 1,
      }),
  ],
];

/** Minutes after each event in which the activity has a turn: news is due after ten, and so is a trouble. */
const TURNS = [0, 1, 10, 11, 12];

/**
 * Times of the activity: every other hour, where a daily report may be due, and after each event. A real worker has a
 * turn each minute; those between change nothing.
 */
function turns(): number[] {
  const times = new Set(SCRIPT.flatMap(([begin]) => TURNS.map((minutes) => begin + minutes * MINUTE)));
  for (let day = 0; day < 7; day += 1) {
    for (let hour = 0; hour < 24; hour += 2) times.add(at(day, `${hour}:00`));
    for (const clock of ['06:01', '07:00', '07:01']) times.add(at(day, clock));
  }
  return [...times].sort((a, b) => a - b);
}

test('a week of claims, troubles, a sink that is down and a change of the clocks has these messages', async () => {
  const { db, store, set } = time();
  await set(new Date(START));
  await insertResearch(db, 'toy');
  const spec = { name: 'log', type: 'file', path, digestAt: '08:00', timeZone: 'Europe/Berlin' };
  await applySinks(db, Notify.parse({ sinks: [spec] }));
  const send: ActivityDeps['messages']['send'] = (sink, notice, signal) =>
    sendNotice(sink, notice, { env: {}, commandEnv: {}, now: new Date(), signal });
  const { tend } = createInstallationActivities({
    store,
    messages: { send },
    reach: () => undefined,
  } as unknown as ActivityDeps);
  const environment = new MockActivityEnvironment();
  const got: Notice[] = [];
  const lines: string[] = [];
  const script = [...SCRIPT];
  for (const now of turns()) {
    await set(new Date(now));
    while ((script[0]?.[0] ?? Infinity) <= now) await script.shift()?.[1]();
    await environment.run(tend);
    const all = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
    for (const line of all.slice(got.length)) {
      const notice = JSON.parse(line) as Notice;
      got.push(notice);
      const clock = new Date(now).toISOString().slice(11, 16);
      lines.push(`${Math.floor((now - START) / DAY)} ${clock} ${notice.kind}: ${notice.title}`);
    }
  }
  expect(lines).toEqual([
    '0 03:10 news: 2 claims',
    '0 06:01 digest: the last 24 hours: 2 new claims',
    '1 00:15 news: toy: #9 is no longer the best, the best is again #3 at 1.97: worse when re-run',
    '1 06:01 digest: the last 24 hours: 0 new claims',
    '2 06:01 digest: the last 24 hours: 0 new claims',
    '3 00:10 needs-you: toy: needs you: The proposer gets no answer',
    '3 00:42 over: toy: over after 42 min: The proposer gets no answer',
    '3 02:10 needs-you: toy: needs you: The proposer gets no answer',
    '3 02:20 over: toy: over after 20 min: The proposer gets no answer',
    '3 06:01 digest: the last 24 hours: 0 new claims',
    '4 06:01 digest: the last 24 hours: 0 new claims',
    '4 06:20 needs-you: toy: needs you: The proposer gets no answer',
    // The sink is up again: its messages in their order, without the trouble that began and ended meanwhile.
    '5 06:30 over: toy: over after 21 min: The proposer gets no answer',
    '5 06:30 news: toy: #10 is now the best: 1.900 bits, 6 runs, +0.01000 over the claim before',
    '5 06:30 news: toy: #11 is now the best: 1.890 bits, 6 runs, +0.01000 over the claim before',
    '5 06:30 digest: the last 24 hours: 6 new claims',
    '5 06:31 news: 4 claims',
    // Eight o'clock in winter.
    '6 07:01 digest: the last 25 hours: 0 new claims',
    '6 10:10 news: toy: it has ended: the budget is spent',
  ]);
  expect(new Set(got.map(({ id }) => id)).size).toBe(got.length);
  expect(got.every(({ researches, kind }) => kind === 'digest' || researches.join() === 'toy')).toBe(true);
  expect(await db.$count(messageDeliveries)).toBe(got.length);
  expect(await db.$count(messages, isNull(messages.delivery))).toBe(0);
});
