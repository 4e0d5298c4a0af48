import { expect, test } from 'vitest';
import { createTemporalWatch } from '../../../../dashboard/server/source/temporal-watch.ts';

/** Lets answers that are there arrive. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('Temporal is asked when a page looks, at most once in ten seconds for all tabs', async () => {
  let now = 0;
  let asked = 0;
  const read = () => Promise.resolve((asked += 1));
  const watch = createTemporalWatch(read, { clock: () => now });
  await settle();
  expect(asked).toBe(0);
  expect(watch.look()).toEqual({ state: 'unknown', oldestTaskSeconds: null });
  await settle();
  for (now of [1, 5000, 9999]) expect(watch.look()).toEqual({ state: 'answers', oldestTaskSeconds: 1 });
  now = 10_000;
  watch.look();
  await settle();
  expect([watch.look().oldestTaskSeconds, asked]).toEqual([2, 2]);
});

test('no answer is told apart from no access, and ends with the next answer', async () => {
  let now = 0;
  let answer: () => Promise<number | null> = () => Promise.reject(new Error('deadline'));
  const watch = createTemporalWatch(() => answer(), { clock: () => now });
  const stateLater = async (): Promise<string> => {
    now += 10_000;
    watch.look();
    await settle();
    return watch.look().state;
  };
  expect(await stateLater()).toBe('silent');
  answer = () => Promise.resolve(null);
  expect(await stateLater()).toBe('unknown');
  answer = () => Promise.resolve(0);
  expect(await stateLater()).toBe('answers');
});
