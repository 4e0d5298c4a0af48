import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KillPoint } from '../../../activities/deps.ts';
import { expectUnharmed, survive } from '../../support/e2e/survive.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';

/**
 * One death per layer. `kill-matrix.long.test.ts` has the other kill points; test/e2e/learning/learning.test.ts has the
 * death of an update.
 */
const LAYERS: [layer: string, point: KillPoint][] = [
  ['proposal', 'proposal-stored'],
  ['lease', 'lease-taken'],
  ['run', 'mid-run'],
  ['outcome', 'verdict-stored'],
];

let stack: TestStack;
/** The worker that started last. It dies in the next case. */
let worker: TestWorker;

beforeAll(async () => {
  stack = await startTestStack();
  worker = await stack.startWorker({ slots: 2 });
});
afterAll(() => stack.stop());

test.each(LAYERS)(
  'a worker that dies in the %s (%s) costs nothing: the same trials and verdicts, each once',
  async (_, killAt) => {
    const restart = async (): Promise<void> => {
      worker = await stack.startWorker({ slots: 2 });
    };
    const id = await survive(stack, worker, { killAt, proposer: 'random', restart });
    expect(await expectUnharmed(stack, id)).toBe(0);
  },
);
