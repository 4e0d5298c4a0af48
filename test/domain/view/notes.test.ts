import { expect, test } from 'vitest';
import { describeAlerts } from '../../../domain/view/notes.ts';

const now = new Date('2026-11-02T12:00:00Z');
const alert = (hours: number, message: string) => ({
  at: new Date(now.getTime() - hours * 3_600_000).toISOString(),
  message,
});

test('alerts are shown for 24 hours, each message once, with its age', () => {
  const alerts = [alert(1, 'a'), alert(2, 'b\x1b[31m'), alert(3, 'a'), alert(23, 'c'), alert(25, 'd')];
  expect(describeAlerts(alerts, now)).toEqual(['1 h ago: a', '2 h ago: b', '23 h ago: c']);
});

test('at most five are shown, the newest', () => {
  const alerts = [1, 2, 3, 4, 5, 6, 7].map((hours) => alert(hours, `signal ${hours}`));
  expect(describeAlerts(alerts, now)).toHaveLength(5);
  expect(describeAlerts(alerts, now).at(-1)).toBe('5 h ago: signal 5');
});
