import type { ActivityExecuteInput } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { cleanFailures } from '../../../workers/queues/clean-failures.ts';

const failing = (error: unknown): Promise<unknown> =>
  Promise.resolve(cleanFailures.execute?.({} as ActivityExecuteInput, () => Promise.reject(error as Error))).then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown,
  );

test('half of a character in the message of a failure, or of its cause, is replaced', async () => {
  const thrown = (await failing(new Error('cut \ud83d', { cause: new Error('here \ud83d') }))) as Error;
  expect(thrown.message).toBe('cut \ufffd');
  expect((thrown.cause as Error).message).toBe('here \ufffd');
  expect(thrown.stack?.isWellFormed()).toBe(true);
});

test('a failure whose message cannot be assigned is passed on as it is', async () => {
  const timeout = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  expect(await failing(timeout)).toBe(timeout);
  const outer = new Error('outer', { cause: timeout });
  expect(await failing(outer)).toBe(outer);
  const odd = new DOMException('odd \ud83d', 'AbortError');
  expect(((await failing(odd)) as Error).message).toBe('odd \ufffd');
});

test('a failed query keeps its first words, so that the error of Postgres fits beside them', async () => {
  const refused = new Error('the shelf is full');
  const failed = new Error(`Failed query: ${'insert into shelves '.repeat(500)}`, { cause: refused });
  expect(await failing(failed)).toBe(failed);
  expect(failed.message).toMatch(/^Failed query: insert into shelves .* …$/);
  expect(failed.message.length).toBeLessThan(400);
  expect(failed.stack).not.toContain('shelves '.repeat(100));
  expect(failed.stack).toContain('clean-failures.test.ts');
  expect(refused.message).toBe('the shelf is full');
});
