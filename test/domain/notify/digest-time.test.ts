import { expect, test } from 'vitest';
import { lastDigestTime } from '../../../domain/notify/digest-time.ts';

test.each([
  ['UTC', '08:00', '2026-11-24T08:00:00Z', '2026-11-24T08:00:00Z'],
  ['UTC', '08:00', '2026-11-24T07:59:59Z', '2026-11-23T08:00:00Z'],
  ['Europe/Berlin', '08:00', '2026-11-24T12:00:00Z', '2026-11-24T07:00:00Z'],
  ['Asia/Kolkata', '08:00', '2026-11-24T02:31:00Z', '2026-11-24T02:30:00Z'],
  ['Pacific/Kiritimati', '08:00', '2026-11-23T18:00:00Z', '2026-11-23T18:00:00Z'],
  ['America/Los_Angeles', '23:30', '2026-11-24T07:29:00Z', '2026-11-23T07:30:00Z'],
  // Clocks change on 2026-03-29 and 2026-10-25.
  ['Europe/Berlin', '08:00', '2026-03-29T10:00:00Z', '2026-03-29T06:00:00Z'],
  ['Europe/Berlin', '08:00', '2026-03-28T10:00:00Z', '2026-03-28T07:00:00Z'],
  ['Europe/Berlin', '08:00', '2026-10-25T10:00:00Z', '2026-10-25T07:00:00Z'],
])('in %s, the report of %s before %s is that of %s', (timeZone, digestAt, now, expected) => {
  expect(lastDigestTime({ timeZone, digestAt }, new Date(now))).toEqual(new Date(expected));
});

test('a year has one report a day, also where clocks skip or repeat the time', () => {
  for (const digestAt of ['02:30', '00:00', '23:59']) {
    const times = new Set<number>();
    const begin = Date.parse('2026-01-01T12:00:00Z');
    for (let half = 0; half < 365 * 2; half += 1)
      times.add(lastDigestTime({ timeZone: 'Europe/Berlin', digestAt }, new Date(begin + half * 43_200_000)).getTime());
    const sorted = [...times].sort((a, b) => a - b);
    const gaps = sorted.slice(1).map((time, index) => (time - (sorted[index] ?? 0)) / 3_600_000);
    expect(gaps.length).toBeGreaterThan(363);
    expect([Math.min(...gaps), Math.max(...gaps)], digestAt).toEqual([23, 25]);
  }
});
