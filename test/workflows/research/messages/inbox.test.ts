import { expect, test, vi } from 'vitest';
import { createInbox } from '../../../../workflows/research/messages/inbox.ts';
import { refuseIfHistoryFull } from '../../../../workflows/research/messages/people-signals.ts';

const info = vi.hoisted(() => ({ historyLength: 500, historySize: 35 * 2 ** 20 }));
vi.mock(import('@temporalio/workflow'), async (load) => ({
  ...(await load()),
  workflowInfo: () => info as never,
  CancellationScope: { nonCancellable: <T>(work: () => Promise<T>) => work() } as never,
}));

/** An inbox with two kinds of messages, and the batches in which it handles them. */
function recordBatches() {
  const batches: [string, unknown[]][] = [];
  const afterwards = vi.fn();
  const inbox = createInbox(afterwards);
  const kind = (name: string) =>
    inbox<unknown>(async (messages) => {
      await Promise.resolve();
      batches.push([name, [...messages]]);
    });
  return { batches, afterwards, notes: kind('note'), changes: kind('change'), inbox };
}

test('messages of one kind in a row are handled together, and all messages in their order', async () => {
  const { batches, afterwards, notes, changes } = recordBatches();
  await Promise.all([notes(1), notes(2), notes(3), changes('a'), notes(4)]);
  expect(batches).toEqual([
    ['note', [1]],
    ['note', [2, 3]],
    ['change', ['a']],
    ['note', [4]],
  ]);
  expect(afterwards).toHaveBeenCalledTimes(1);
});

test('a batch has at most a hundred messages and at most 256 KiB', async () => {
  const { batches, notes } = recordBatches();
  const large = 'x'.repeat(120_000);
  await Promise.all([...Array.from({ length: 151 }, (_, n) => n), large, large, large].map(notes));
  expect(batches.map(([, messages]) => messages.length)).toEqual([1, 100, 52, 1]);
});

test('all senders wait for the same promise', () => {
  const { notes, changes } = recordBatches();
  const [first, second] = [notes(1), changes(2)];
  expect(first).toBe(second);
});

test('senders get the error of a batch that fails, and later messages are handled with the next message', async () => {
  const { batches, inbox, notes } = recordBatches();
  const broken = inbox<number>(() => Promise.reject(new Error('boom')));
  const waiting = Promise.all([broken(1), notes(1)]);
  await expect(waiting).rejects.toThrow('boom');
  await notes(2);
  expect(batches).toEqual([['note', [1, 2]]]);
});

const largeMessage = (megabytes: number) => ({ files: { 'knobs.env': 'x'.repeat(megabytes * 2 ** 20) } });

test('messages that would bring the history near its limit are refused, with advice what to do', () => {
  expect(() => refuseIfHistoryFull([largeMessage(4)])).not.toThrow();
  expect(() => refuseIfHistoryFull([largeMessage(4), largeMessage(2)])).toThrow(
    'too many messages at once (2 of these were dropped); send them again in parts',
  );
});
