import { expect, test } from 'vitest';
import { baselineLine, describeAlerts } from '../../../domain/view/notes.ts';

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

test('a baseline run that failed has a line with its reason and the way to look, until a streak of failures tells it', () => {
  const newest = { trialId: 'x/1', status: 'crashed' as const, reason: 'exit code 1: no module named numpy' };
  const view = { failedBaseline: { trials: 1, newest }, losingStreak: null };
  expect(baselineLine(view)).toEqual([
    "a baseline run failed: exit code 1: no module named numpy. It is the task's unmodified workspace, so its proposals may fail of it, too. See: npx perpetua show x/1",
  ]);
  expect(baselineLine({ ...view, losingStreak: { trials: 3, orMore: false, newest } })).toEqual([]);
});
