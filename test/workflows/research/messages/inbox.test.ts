import { expect, test, vi } from 'vitest';
import { createInbox } from '../../../../workflows/research/messages/inbox.ts';
import { refuseWhereFull } from '../../../../workflows/research/messages/people-signals.ts';

const info = vi.hoisted(() => ({ historyLength: 500, historySize: 35 * 2 ** 20 }));
vi.mock(import('@temporalio/workflow'), async (load) => ({
  ...(await load()),
  workflowInfo: () => info as never,
  CancellationScope: { nonCancellable: <T>(work: () => Promise<T>) => work() } as never,
}));

/** An inbox with two kinds of letters, and the batches in which it works on them. */
function record() {
  const batches: [string, unknown[]][] = [];
  const afterwards = vi.fn();
  const inbox = createInbox(afterwards);
  const kind = (name: string) =>
    inbox<unknown>(async (letters) => {
      await Promise.resolve();
      batches.push([name, [...letters]]);
    });
  return { batches, afterwards, notes: kind('note'), changes: kind('change'), inbox };
}

test('letters of one kind in a row are worked on together, and all letters in their order', async () => {
  const { batches, afterwards, notes, changes } = record();
  await Promise.all([notes(1), notes(2), notes(3), changes('a'), notes(4)]);
  expect(batches).toEqual([
    ['note', [1]],
    ['note', [2, 3]],
    ['change', ['a']],
    ['note', [4]],
  ]);
  expect(afterwards).toHaveBeenCalledTimes(1);
});

test('a batch has at most a hundred letters and at most 256 KiB', async () => {
  const { batches, notes } = record();
  const large = 'x'.repeat(120_000);
  await Promise.all([...Array.from({ length: 151 }, (_, n) => n), large, large, large].map(notes));
  expect(batches.map(([, letters]) => letters.length)).toEqual([1, 100, 52, 1]);
});

test('all senders wait for the same promise', () => {
  const { notes, changes } = record();
  const [one, two] = [notes(1), changes(2)];
  expect(one).toBe(two);
});

test('senders get the error of work that fails, and the letters behind it go with the next letter', async () => {
  const { batches, inbox, notes } = record();
  const broken = inbox<number>(() => Promise.reject(new Error('boom')));
  const waiting = Promise.all([broken(1), notes(1)]);
  await expect(waiting).rejects.toThrow('boom');
  await notes(2);
  expect(batches).toEqual([['note', [1, 2]]]);
});

const letter = (megabytes: number) => ({ files: { 'knobs.env': 'x'.repeat(megabytes * 2 ** 20) } });

test('letters that would bring the history near its limit are refused, with advice what to do', () => {
  expect(() => refuseWhereFull([letter(4)])).not.toThrow();
  expect(() => refuseWhereFull([letter(4), letter(2)])).toThrow(
    'too many messages at once (2 of these were dropped); send them again in parts',
  );
});
