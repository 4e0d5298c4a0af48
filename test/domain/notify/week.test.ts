import { expect, test } from 'vitest';
import type { NewEvent } from '../../../domain/event/kinds.ts';
import { isOver, needsYou as needMessage, type AttentionEntry } from '../../../domain/notify/attention.ts';
import { lastDigestTime } from '../../../domain/notify/digest-time.ts';
import type { Message, MessageBody, MessageKind } from '../../../domain/notify/message.ts';
import { newsOf } from '../../../domain/notify/news.ts';
import { noticeOf } from '../../../domain/notify/notice.ts';
import { planDeliveries, type WaitingMessage } from '../../../domain/notify/plan.ts';
import { CALM } from '../../view/attention/calm.ts';
import { needsYou } from '../../../view/attention/needs-you.ts';

const MINUTE = 60_000;
const DAY = 1440;
const START = Date.parse('2026-11-23T00:00:00Z');
const SOON = 10;
const SINK = { digestAt: '08:00', timeZone: 'Europe/Berlin' };

const claim = (n: number, value: number): NewEvent => ({
  kind: 'claim-made',
  researchId: 'toy',
  n,
  data: { candidateId: `c${n}`, previous: 'c0', value, sd: 0.01, runs: 6, by: 'gate', reason: 'better' },
});
const takenBack = (n: number): NewEvent => ({
  kind: 'claim-taken-back',
  researchId: 'toy',
  n,
  data: { candidateId: `c${n}`, inPlace: 'c3', inPlaceTrial: 3, value: 1.5, by: 'gate', reason: 'worse when re-run' },
});
const crash = (n: number): NewEvent => ({
  kind: 'trial-ended',
  researchId: 'toy',
  n,
  data: { kind: 'search', status: 'crashed', failure: 'exit-code', value: null, seconds: 3 },
});
const discard = (n: number): NewEvent => ({
  kind: 'trial-ruled',
  researchId: 'toy',
  n,
  data: { verdict: 'discard', reason: 'not better', by: 'gate' },
});

/** Events of the week, by minute. */
const EVENTS = new Map<number, NewEvent[]>([
  [3 * 60, [claim(3, 1.5)]],
  [3 * 60 + 4, [claim(9, 1.4)]],
  [DAY + 5, [takenBack(9)]],
  [4 * DAY, Array.from({ length: 500 }, (_, index) => crash(100 + index))],
  [4 * DAY + 1, Array.from({ length: 500 }, (_, index) => discard(100 + index))],
]);
/** Outages of the endpoint: first and last minute. */
const OUTAGES = [
  { from: 2 * DAY, to: 2 * DAY + 9 },
  { from: 3 * DAY, to: 3 * DAY + 42 },
  { from: 5 * DAY, to: 5 * DAY + 11 },
];

interface Stored extends Message, WaitingMessage {}

/** Plays a week minute by minute; returns the notices as `day hh:mm kind title`. */
function play(minutes: number): string[] {
  const sent: { at: number; text: string; kind: string }[] = [];
  let waiting: Stored[] = [];
  let digestAt = START;
  const open = new Map<string, AttentionEntry>();
  const add = (now: number, kind: MessageKind, body: MessageBody, wait = 0): void => {
    const id = `${now}/${waiting.length}`;
    const dueAt = new Date(now + wait * MINUTE);
    waiting.push({ id, kind, researchId: 'toy', body, createdAt: new Date(now), dueAt, held: false });
  };
  for (let minute = 0; minute < minutes; minute += 1) {
    const now = START + minute * MINUTE;
    for (const { kind, body } of newsOf(EVENTS.get(minute) ?? [])) add(now, kind, body, SOON);
    const present = attentionAt(minute);
    for (const [key, entry] of open)
      if (!present.some((one) => one.id === key)) {
        open.delete(key);
        add(now, 'over', isOver(entry, new Date(now)).body);
      }
    for (const entry of present)
      if (!open.has(entry.id)) {
        open.set(entry.id, entry);
        add(now, 'needs-you', needMessage(entry).body);
      }
    const due = minute % 60 === 0 ? lastDigestTime(SINK, new Date(now)).getTime() : digestAt;
    if (due > digestAt) {
      digestAt = due;
      add(now, 'digest', { title: 'the report', lines: [], commands: [] });
    }
    const recent = sent.filter(({ at, kind }) => at > now - 60 * MINUTE && kind !== 'digest').length;
    const { deliveries, held } = planDeliveries({ waiting, recent, now: new Date(now) });
    expect(held).toEqual([]);
    for (const { kind, messages } of deliveries) {
      const its = waiting.filter(({ id }) => messages.includes(id));
      waiting = waiting.filter(({ id }) => !messages.includes(id));
      const notice = noticeOf({ id: `d${sent.length}`, kind, sink: 'team', messages: its, now: new Date(now) });
      const time = new Date(now).toISOString().slice(11, 16);
      sent.push({ at: now, kind, text: `${Math.floor(minute / DAY)} ${time} ${kind}: ${notice.title}` });
    }
  }
  return sent.map(({ text }) => text);
}

/** Entries of "needs you" at a minute, by the function that the pages use. */
function attentionAt(minute: number): AttentionEntry[] {
  const outage = OUTAGES.find(({ from, to }) => minute >= from && minute < to);
  const at = outage === undefined ? null : new Date(START + outage.from * MINUTE).toISOString();
  const why = outage === undefined ? null : 'model endpoint: https://api.example.com answered 503';
  const facts = { ...CALM, id: 'toy', endpointDown: why, since: { ...CALM.since, endpointDown: at } };
  const { attention } = needsYou({ researches: [facts], hosts: [] }, new Date(START + minute * MINUTE));
  return attention.map(({ key, at: begun, ...entry }) => ({ ...entry, id: key, beganAt: new Date(begun ?? 0) }));
}

test('a week with outages, claims, 500 crashes and 500 discards causes exactly these messages', () => {
  expect(play(7 * DAY)).toEqual([
    '0 03:10 news: 2 claims',
    '0 07:00 digest: toy: the report',
    '1 00:15 news: toy: #9 is no longer the best, the best is again #3 at 1.5: worse when re-run',
    '1 07:00 digest: toy: the report',
    '2 07:00 digest: toy: the report',
    // The outage of nine minutes caused nothing.
    '3 00:10 needs-you: toy: needs you: The proposer gets no answer',
    '3 00:42 over: toy: over after 42 min: The proposer gets no answer',
    '3 07:00 digest: toy: the report',
    '4 07:00 digest: toy: the report',
    '5 00:10 needs-you: toy: needs you: The proposer gets no answer',
    '5 00:11 over: toy: over after 11 min: The proposer gets no answer',
    '5 07:00 digest: toy: the report',
    '6 07:00 digest: toy: the report',
  ]);
});
