import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { reuseWhileFresh } from '../../../../activities/monitor/abort/abort-learner.ts';

const FRESH_MS = 1000;
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** Reads that end when the test ends them. */
function byHand() {
  const ends: ((error?: Error) => void)[] = [];
  let [busy, most] = [0, 0];
  const work = async (): Promise<number> => {
    busy += 1;
    most = Math.max(most, busy);
    await new Promise<void>((resolve, reject) =>
      ends.push((error) => {
        busy -= 1;
        if (error) reject(error);
        else resolve();
      }),
    );
    return ends.length;
  };
  const begun = (count: number) => vi.waitFor(() => expect(ends).toHaveLength(count), 30_000);
  return { work, begun, end: (index: number, error?: Error) => ends[index]?.(error), most: () => most };
}

test('all callers share a fresh value, and an old one is read again', async () => {
  let done = 0;
  const read = reuseWhileFresh(() => Promise.resolve((done += 1)), FRESH_MS);
  expect(await Promise.all([read(), read()])).toEqual([1, 1]);
  vi.advanceTimersByTime(FRESH_MS - 1);
  expect(await read()).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await read()).toBe(2);
});

test('callers during a long read wait for the next read, and all for the same one', async () => {
  const { work, begun, end, most } = byHand();
  const read = reuseWhileFresh(work, FRESH_MS);
  const first = read();
  await begun(1);
  vi.advanceTimersByTime(FRESH_MS);
  const waiting = [read(), read()];
  end(0);
  expect(await first).toBe(1);
  await begun(2);
  end(1);
  expect(await Promise.all(waiting)).toEqual([2, 2]);
  expect(most()).toBe(1);
});

test('a failure does not let two reads run at the same time', async () => {
  const { work, begun, end, most } = byHand();
  const read = reuseWhileFresh(work, FRESH_MS);
  const first = read();
  await begun(1);
  vi.advanceTimersByTime(FRESH_MS);
  const second = read();
  end(0, new Error('no connection'));
  await expect(first).rejects.toThrow('no connection');
  await begun(2);
  const third = read();
  end(1);
  expect([await second, await third]).toEqual([2, 2]);
  expect(most()).toBe(1);
});

test('a failed read is not kept', async () => {
  let done = 0;
  const read = reuseWhileFresh(
    () => (++done === 1 ? Promise.reject(new Error('no connection')) : Promise.resolve(done)),
    FRESH_MS,
  );
  await expect(read()).rejects.toThrow('no connection');
  expect(await read()).toBe(2);
});
