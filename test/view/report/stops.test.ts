import { expect, test } from 'vitest';
import { stopsIn } from '../../../view/report/stops.ts';

const at = (minutes: number): Date => new Date(Date.UTC(2026, 10, 30, 0, minutes));
const span = (phase: string, [from, to]: [number, number | null], reason: string | null = null) => ({
  phase,
  reason,
  from: at(from).toISOString(),
  to: to === null ? null : at(to).toISOString(),
});

const SPANS = [
  span('running', [0, 10]),
  span('waiting', [10, 14], 'disk'),
  span('running', [14, 20]),
  span('waiting', [20, 30], 'endpoint'),
  span('running', [30, 40]),
  span('paused', [40, null]),
];

test('waits and pauses of a period are counted, with the reason of the longest one', () => {
  expect(stopsIn(SPANS, { from: at(0), to: at(41) })).toEqual({
    count: 3,
    seconds: 15 * 60,
    reason: 'endpoint',
    from: at(10).toISOString(),
    to: at(41).toISOString(),
  });
});

test('a stop is cut at the bounds of the period', () => {
  expect(stopsIn(SPANS, { from: at(28), to: at(35) })).toMatchObject({ count: 1, seconds: 120 });
  expect(stopsIn(SPANS, { from: at(50), to: at(60) })).toMatchObject({ count: 1, seconds: 600, reason: 'paused' });
});

test('a period in which the research ran has no stops', () => {
  expect(stopsIn(SPANS, { from: at(31), to: at(39) })).toBeNull();
  expect(stopsIn([], { from: at(0), to: at(1) })).toBeNull();
});
