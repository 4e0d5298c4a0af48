import { expect, test } from 'vitest';
import { holdOf, SETUP_MESSAGE, STORE_MESSAGE, type RepeatedFailure } from '../../../domain/research/hold.ts';

const failures = (inARow: number, secondsSince = 0, label: RepeatedFailure['label'] = 'database-failed') => ({
  label,
  inARow,
  message:
    label === 'setup-failed'
      ? `${SETUP_MESSAGE}: exit status 3:\n no such package`
      : `${STORE_MESSAGE}: could not extend file "base/5/16": No space left on device`,
  secondsSince,
});
const hold = (failure: RepeatedFailure, { running = 0, retries = false } = {}) =>
  holdOf([failure], { researchId: 'my research', running, retries });

test('two failures in a row hold nothing, three do, with the words of the database', () => {
  expect(holdOf([], { researchId: 'r', running: 0, retries: false })).toBeNull();
  expect(hold(failures(2))).toBeNull();
  expect(hold(failures(3))).toEqual({
    label: 'database-failed',
    room: 0,
    reason:
      'database: it could not store the last trials: could not extend file "base/5/16": No space left on device. ' +
      'Mend the database; one trial every 5 minutes tries again',
  });
});

test('three failed setups hold new trials, with the last words of the setup and what to do', () => {
  expect(hold(failures(3, 0, 'setup-failed'))).toEqual({
    label: 'setup-failed',
    room: 0,
    reason:
      'setup: it failed in the last trials: exit status 3: no such package. If the fault is in the task, mend it and ' +
      "send it (npx perpetua task 'my research' /path); if it is in the machine, try again " +
      "(npx perpetua resume 'my research'). One trial an hour tries by itself",
  });
});

test.each([
  ['database-failed', 300],
  ['setup-failed', 3600],
] as const)(
  'after %s, one trial tries again %s s after the last end, and no other one while it runs',
  (label, after) => {
    const roomAfter = (seconds: number, running: number) => hold(failures(9, seconds, label), { running })?.room;
    expect([roomAfter(after - 1, 0), roomAfter(after, 0), roomAfter(1e6, 0), roomAfter(1e6, 1)]).toEqual([0, 1, 1, 0]);
  },
);

test('a person who asks for a try gets one trial at once', () => {
  expect(hold(failures(3, 0, 'setup-failed'), { retries: true })?.room).toBe(1);
  expect(hold(failures(3, 0, 'setup-failed'), { retries: true, running: 1 })?.room).toBe(0);
});

test('the reason stays the same while more trials fail, so that no alert is repeated', () => {
  expect(hold(failures(30, 7), { running: 1 })?.reason).toBe(hold(failures(3))?.reason);
});
