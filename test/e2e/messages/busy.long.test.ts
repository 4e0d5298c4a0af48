import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectReleased } from '../../support/e2e/slow-task.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { chainOf, steering } from '../../support/e2e/steer.ts';

let stack: TestStack;
const { begin } = steering(() => stack);

beforeAll(async () => {
  stack = await startTestStack();
  await stack.startWorker({ slots: 4 });
});
afterAll(() => stack.stop());

describe('the research goes on', () => {
  test('when trials end all the time: a failed continue-as-new waits for a quiet moment', async () => {
    const handle = await begin('busy', { budget: { trials: 60 }, window: 6, maxHistory: 60 }, { seconds: 0.1 });
    await handle.result();
    const { causes, runs } = await chainOf(stack, 'busy');
    expect(runs).toBeGreaterThan(1);
    // If it were tried again at once, it would fail until no trial is under way.
    const repeated = causes.filter((cause, index) => cause !== null && causes[index + 1] === cause);
    expect(repeated).toEqual([]);
    await expectReleased(stack, 'busy');
  });
});
