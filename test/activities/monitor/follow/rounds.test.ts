import { expect, test } from 'vitest';
import { startRounds } from '../../../../activities/monitor/follow-run.ts';

test('work goes on beside other work that never ends, and its failure is told', async () => {
  let rounds = 0;
  const told = await new Promise<unknown>((resolve) => {
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
  expect(told).toEqual(new Error('no disk'));
});
