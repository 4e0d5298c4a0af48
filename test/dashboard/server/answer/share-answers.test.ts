import { expect, test, vi } from 'vitest';
import { createAnswerShare } from '../../../../dashboard/server/answer/share-answers.ts';

test('tabs share a read under way and its answer, until a change or for a second', async () => {
  let [version, now] = [1, 0];
  const share = createAnswerShare<number>(
    () => version,
    () => now,
  );
  let reads = 0;
  const read = vi.fn(() => Promise.resolve((reads += 1)));
  expect(await Promise.all([share('a', read), share('a', read), share('b', read)])).toEqual([1, 1, 2]);
  now = 999;
  expect(await share('a', read)).toBe(1);
  version = 2;
  expect(await share('a', read)).toBe(3);
  now = 1999;
  expect(await share('a', read)).toBe(4);
});

test('a change ends the sharing of a read that began before it', async () => {
  let version = 1;
  const share = createAnswerShare<string>(
    () => version,
    () => 0,
  );
  let end: (text: string) => void = () => undefined;
  const before = share('a', () => new Promise((resolve) => (end = resolve)));
  version = 2;
  expect(await share('a', () => Promise.resolve('after'))).toBe('after');
  end('before');
  expect(await before).toBe('before');
  expect(await share('a', () => Promise.resolve('other'))).toBe('after');
});

test('the next request after a failed read reads again', async () => {
  const share = createAnswerShare<string>(
    () => 1,
    () => 0,
  );
  await expect(share('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await share('a', () => Promise.resolve('back'))).toBe('back');
});
