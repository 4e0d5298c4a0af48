import { expect, test } from 'vitest';
import { baselineLine, describeAlerts, streakLine } from '../../view/notices.ts';

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

test('a streak of failures says how to mend the task while nothing has a value, and after that how to advise the proposer', () => {
  const newest = { trialId: 'x/20', status: 'crashed' as const, reason: 'exit code 1' };
  const view = { workflowId: 'x', losingStreak: { trials: 20, orMore: true, newest } };
  expect(streakLine({ ...view, best: null })).toEqual([
    `the last 20 trials (or more) failed, the newest: exit code 1. See: npx perpetua show x/20. Nothing has a value yet. If the task is at fault, mend its folder, then: temporal workflow update execute --workflow-id x --name changeTask --input '{"task":"/path"}', with the path of the folder`,
  ]);
  const best = { value: 1, candidateId: 'c', trialId: 'x/1', unmodified: false, trusted: true };
  expect(streakLine({ ...view, best })[0]).toMatch(
    /show x\/20\. If the proposals are at fault, advise the proposer: npx perpetua note x 'your advice'$/,
  );
  expect(streakLine({ ...view, losingStreak: null, best })).toEqual([]);
});
