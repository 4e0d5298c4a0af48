import { expect, test, vi } from 'vitest';
import { removeOldCalls } from '../../workers/remove-old-calls.ts';

/** Starts removals at once. `removed` resolves with the days of the first one. */
function start(days: number | null, fail?: Error) {
  const errors: unknown[] = [];
  let report = (_: number): void => undefined;
  const removed = new Promise<number>((resolve) => (report = resolve));
  const dropBodies = (input: { days: number }): Promise<number> => {
    report(input.days);
    return fail ? Promise.reject(fail) : Promise.resolve(1);
  };
  const stop = removeOldCalls({
    store: { call: { dropBodies } },
    days,
    onError: (error) => errors.push(error),
    firstMs: 0,
  });
  return { removed, stop, errors };
}

test('a worker removes old calls, and a failed removal does not end it', async () => {
  const { removed, stop, errors } = start(30, new Error('no database'));
  expect(await removed).toBe(30);
  await stop();
  expect(errors).toMatchObject([{ message: 'no database' }]);
});

test('without PERPETUA_CALL_DAYS a worker removes nothing', () => {
  vi.useFakeTimers();
  try {
    start(null);
    expect(vi.getTimerCount()).toBe(0);
    const { stop } = start(30);
    expect(vi.getTimerCount()).toBe(1);
    void stop();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
