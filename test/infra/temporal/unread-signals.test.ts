import { expect, test } from 'vitest';
import { type HistoryEvent, unreadSignals } from '../../../infra/temporal/unread-signals.ts';

type Kind = Partial<Record<keyof HistoryEvent, object>>;

const signal = (signalName: string): Kind => ({ workflowExecutionSignaledEventAttributes: { signalName } });
const taskStarted: Kind = { workflowTaskStartedEventAttributes: {} };
const task = (startedEventId: number): Kind => ({ workflowTaskCompletedEventAttributes: { startedEventId } });
const activity = (workflowTaskCompletedEventId: number): Kind => ({
  activityTaskScheduledEventAttributes: { workflowTaskCompletedEventId },
});
const activityDone = (scheduledEventId: number): Kind => ({
  activityTaskCompletedEventAttributes: { scheduledEventId },
});
const childAsked = (workflowTaskCompletedEventId: number): Kind => ({
  startChildWorkflowExecutionInitiatedEventAttributes: { workflowTaskCompletedEventId },
});
const childStarted = (initiatedEventId: number): Kind => ({
  childWorkflowExecutionStartedEventAttributes: { initiatedEventId },
});
const unread = (...events: Kind[]) =>
  unreadSignals(events.map((event, index) => ({ ...event, eventId: index + 1 }) as unknown as HistoryEvent));

test('signals after the last workflow task are unread, except those that the next run or the database gets', () => {
  const read = [signal('note'), taskStarted, task(2)];
  expect(unread()).toEqual([]);
  expect(unread(...read)).toEqual([]);
  expect(unread(...read, signal('inject'), signal('trialEnded'), signal('updateEnded'), signal('unknown'))).toEqual([
    'inject',
    'unknown',
  ]);
  expect(unread(...read, signal('pause'), signal('resume'), signal('stop'))).toEqual([]);
});

test('signals of a run that completed no workflow task are all unread', () => {
  expect(unread(signal('inject'), signal('note'), taskStarted)).toEqual(['inject', 'note']);
});

test('a signal that came during a workflow task is unread until the next task', () => {
  const during = [signal('note'), taskStarted, signal('inject'), task(2)];
  expect(unread(...during)).toEqual(['inject']);
  expect(unread(...during, taskStarted, task(5))).toEqual([]);
});

test.each([
  ['an activity', activity, activityDone],
  ['the start of a child', childAsked, childStarted],
] as const)('a signal whose workflow task left %s open is unread until a later task left none', (_, begun, done) => {
  const first = [signal('note'), taskStarted, task(2), begun(3)];
  expect(unread(...first)).toEqual(['note']);
  expect(unread(...first, done(4))).toEqual(['note']);
  expect(unread(...first, done(4), taskStarted, task(6))).toEqual([]);
  expect(unread(...first, done(4), taskStarted, task(6), begun(7))).toEqual(['note']);
});

test('signals that were read before a later activity began stay read', () => {
  expect(unread(signal('note'), taskStarted, task(2), signal('inject'), taskStarted, task(5), activity(6))).toEqual([
    'inject',
  ]);
});
