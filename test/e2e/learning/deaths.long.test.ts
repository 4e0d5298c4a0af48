import { afterAll, beforeAll, test } from 'vitest';
import { FAULTS } from '../../support/e2e/fault-table.ts';
import { endServers } from '../../support/policy/end-servers.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';
import { expectLearntOnce, FAKE_ENV } from './support.ts';

let stack: TestStack;
let worker: TestWorker;
const restart = async (): Promise<void> => {
  worker = await stack.startWorker({ slots: 2, env: FAKE_ENV });
};
beforeAll(async () => {
  stack = await startTestStack();
  await restart();
});
afterAll(async () => {
  await stack.stop();
  await endServers(stack.home);
});

test.each(FAULTS['worker-dies/local/policy'])(
  'a policy has each sample and each version once though its worker dies at %s',
  (killAt) => expectLearntOnce(stack, worker, { id: `dies-${killAt}`, killAt, restart }),
);
