import { expect, test } from 'vitest';
import { baselineLine, describeAlerts, noticeLines, streakLine } from '../../view/notices.ts';
import { VIEW } from './support/view.ts';

const now = new Date('2026-11-02T12:00:00Z');
const alert = (hours: number, message: string) => ({
  at: new Date(now.getTime() - hours * 3_600_000).toISOString(),
  message,
});

test('alerts are shown for 24 hours, each message once, with its age', () => {
  const alerts = [alert(1, 'a'), alert(2, 'b\x1b[31m'), alert(3, 'a'), alert(23, 'c'), alert(25, 'd')];
  expect(describeAlerts(alerts, now)).toEqual(['1 h ago: a', '2 h ago: b', '23 h ago: c']);
});

test('at most five alerts are shown, the newest ones', () => {
  const alerts = [1, 2, 3, 4, 5, 6, 7].map((hours) => alert(hours, `signal ${hours}`));
  expect(describeAlerts(alerts, now)).toHaveLength(5);
  expect(describeAlerts(alerts, now).at(-1)).toBe('5 h ago: signal 5');
});

test('a failed baseline run has a line with its reason and the command, unless a streak of failures shows it', () => {
  const newest = { trialId: 'x/1', status: 'crashed' as const, reason: 'exit code 1: no module named numpy' };
  const view = { failedBaseline: { trials: 1, newest }, losingStreak: null };
  expect(baselineLine(view)).toEqual([
    'a baseline run failed: exit code 1: no module named numpy. Proposals start from the same unmodified workspace ' +
      'and may fail for the same reason. See: npx perpetua show x/1',
  ]);
  expect(baselineLine({ ...view, losingStreak: { trials: 3, orMore: false, newest } })).toEqual([]);
});

test('a streak of failures has the command that corrects the task, or, once a trial has a value, a note', () => {
  const newest = { trialId: 'x/20', status: 'crashed' as const, reason: 'exit code 1' };
  const view = { workflowId: 'x', losingStreak: { trials: 20, orMore: true, newest } };
  expect(streakLine({ ...view, best: null })).toEqual([
    'the last 20 trials (or more) failed, the newest: exit code 1. See: npx perpetua show x/20. ' +
      'No trial has a value yet. If the task is at fault, correct its folder, then run this with the path of the ' +
      'folder: npx perpetua task x /path',
  ]);
  const best = { value: 1, candidateId: 'c', trialId: 'x/1', unmodified: false, trusted: true };
  expect(streakLine({ ...view, best })[0]).toMatch(
    /show x\/20\. If the proposals are at fault, advise the proposer: npx perpetua note x 'your advice'$/,
  );
  expect(streakLine({ ...view, losingStreak: null, best })).toEqual([]);
});

test('contended runs have a line that names their machine and its load, and the command', () => {
  const words = 'other processes kept the run from a CPU for 2 min 1 s of its 2 min 24 s; load 11.6 on 2 cores';
  const contention = { runs: 1, newest: { trialId: 'x/12', host: 'node3', words } };
  expect(noticeLines({ ...VIEW, contention }, now)).toContain(
    `Runs on node3 wait for a CPU: 1 run of the last hour is not counted. The newest: ${words}. ` +
      'The candidates are not at fault: free cores, or use fewer slots. See: npx perpetua show x/12',
  );
});
