import { describe, expect, test } from 'vitest';
import { HOURLY_LIMIT, pauseAfter, planDeliveries, type WaitingMessage } from '../../../domain/notify/plan.ts';

const NOW = new Date('2026-11-24T10:00:00Z');
const waiting = (id: string, kind: WaitingMessage['kind'], minutes = 0, held = false): WaitingMessage => ({
  id,
  kind,
  dueAt: new Date(NOW.getTime() + minutes * 60_000),
  held,
});
const plan = (messages: WaitingMessage[], recent = 0, isDown = false) =>
  planDeliveries({ waiting: messages, recent, isDown, now: NOW });

test('claims and ends wait for the first of them, and go as one', () => {
  const news = [waiting('a', 'claim', 1), waiting('b', 'end', 5)];
  expect(plan(news)).toEqual({ deliveries: [], held: [] });
  expect(plan([waiting('a', 'claim', 0), waiting('b', 'end', 5), waiting('c', 'needs-you')]).deliveries).toEqual([
    { kind: 'news', messages: ['a', 'b'] },
    { kind: 'needs-you', messages: ['c'] },
  ]);
});

test('more than 20 claims go as several deliveries, so that each is shown', () => {
  const news = Array.from({ length: 45 }, (_, index) => waiting(`c${index}`, 'claim', index === 0 ? 0 : 9));
  expect(plan(news).deliveries.map(({ messages }) => messages.length)).toEqual([20, 20, 5]);
});

test('while a sink is down, only its daily report is planned', () => {
  const messages = [waiting('n', 'needs-you'), waiting('c', 'claim'), waiting('d', 'digest')];
  expect(plan(messages, 0, true)).toEqual({ deliveries: [{ kind: 'digest', messages: ['d'] }], held: [] });
});

describe('the limit of an hour', () => {
  const many = Array.from({ length: 57 }, (_, index) => waiting(`m${index}`, 'needs-you'));

  test('holds what is beyond it, and the next delivery with room counts what was held', () => {
    const first = plan(many);
    expect(first.deliveries).toHaveLength(HOURLY_LIMIT);
    expect(first.held).toHaveLength(37);
    const left = many.slice(HOURLY_LIMIT).map((message) => ({ ...message, held: true }));
    expect(plan(left, HOURLY_LIMIT)).toEqual({ deliveries: [], held: [] });
    expect(plan([...left, waiting('new', 'over')], HOURLY_LIMIT - 2).deliveries).toEqual([
      { kind: 'rest', messages: left.map(({ id }) => id) },
      { kind: 'over', messages: ['new'] },
    ]);
  });

  test('does not hold the daily report, which is the sign of life', () => {
    expect(plan([waiting('d', 'digest'), waiting('x', 'over')], HOURLY_LIMIT)).toEqual({
      deliveries: [{ kind: 'digest', messages: ['d'] }],
      held: ['x'],
    });
  });
});

test('pauses after failures grow to an hour', () => {
  expect([1, 2, 3, 7, 8, 1000].map((attempts) => pauseAfter(attempts) / 60_000)).toEqual([1, 2, 4, 60, 60, 60]);
});
