import { expect, test, vi } from 'vitest';
import { createInbox } from '../../../../workflows/research/messages/inbox.ts';
import { refuseWhereFull } from '../../../../workflows/research/messages/people-signals.ts';

const info = vi.hoisted(() => ({ historyLength: 500, historySize: 35 * 2 ** 20 }));
vi.mock(import('@temporalio/workflow'), async (load) => ({
  ...(await load()),
  workflowInfo: () => info as never,
  CancellationScope: { nonCancellable: <T>(work: () => Promise<T>) => work() } as never,
}));

/** An inbox of two kinds, and the batches in which they were worked on. */
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

test('letters of one kind in a row are worked on together, and none before those that came before it', async () => {
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

test('no more than a hundred are worked on together, and no more than 256 KiB', async () => {
  const { batches, notes } = record();
  const large = 'x'.repeat(120_000);
  await Promise.all([...Array.from({ length: 151 }, (_, n) => n), large, large, large].map(notes));
  expect(batches.map(([, letters]) => letters.length)).toEqual([1, 100, 52, 1]);
});

test('all that put a letter in wait for the same promise', () => {
  const { notes, changes } = record();
  const [one, two] = [notes(1), changes(2)];
  expect(one).toBe(two);
});

test('work that fails is heard of, and what waited behind it is worked on with the next letter', async () => {
  const { batches, inbox, notes } = record();
  const broken = inbox<number>(() => Promise.reject(new Error('boom')));
  const waiting = Promise.all([broken(1), notes(1)]);
  await expect(waiting).rejects.toThrow('boom');
  await notes(2);
  expect(batches).toEqual([['note', [1, 2]]]);
});

const letter = (megabytes: number) => ({ files: { 'knobs.env': 'x'.repeat(megabytes * 2 ** 20) } });

test('letters that would bring the history near its end are refused with a word on what to do', () => {
  expect(() => refuseWhereFull([letter(4)])).not.toThrow();
  expect(() => refuseWhereFull([letter(4), letter(2)])).toThrow(
    'too much came at once (2 of these are left out); send it again, a part at a time',
  );
});
