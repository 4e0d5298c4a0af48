import { expect, test } from 'vitest';
import { oneAtATime, startRounds } from '../../../../activities/monitor/follow-run.ts';

test('work that is asked for while it is under way is done once, and its failure reaches all who wait', async () => {
  let begun = 0;
  let fail: (error: Error) => void = () => undefined;
  const work = oneAtATime(() => {
    begun += 1;
    return new Promise((_, reject) => (fail = reject));
  });
  const both = [work(), work()];
  fail(new Error('no disk'));
  for (const one of both) await expect(one).rejects.toThrow('no disk');
  expect(begun).toBe(1);
});

test('work that failed is repeated when it is requested again', async () => {
  let begun = 0;
  const work = oneAtATime(() => (++begun === 1 ? Promise.reject(new Error('no disk')) : Promise.resolve()));
  await expect(work()).rejects.toThrow();
  await work();
  expect(begun).toBe(2);
});

test('work goes on beside other work that never ends, and its failure is reported', async () => {
  let rounds = 0;
  const reported = await new Promise<unknown>((resolve) => {
    const stop = startRounds(
      [
        () => new Promise(() => undefined),
        async () => {
          rounds += 1;
          if (rounds === 2) throw new Error('no disk');
        },
      ],
      (error) => {
        stop();
        resolve(error);
      },
    );
  });
  expect(reported).toEqual(new Error('no disk'));
});
