import { afterAll, beforeAll, expect, test } from 'vitest';
import { endServers } from '../../support/policy/end-servers.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { ended, FAKE_ENV, learningTask } from './support.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
  await stack.startWorker({ slots: 2, env: FAKE_ENV });
});
afterAll(async () => {
  await stack.stop();
  await endServers(stack.home);
});

test('a policy that learns waits if it gives only one answer, though text follows its answers', async () => {
  const update = { name: 'grpo', batch: 8, group: 8, lr: 0.004, entropyCoefficient: 0.001 };
  const proposer = { name: 'policy', base: 'talks', stop: [] };
  const task = await learningTask(stack.home, 'repeats', { proposer, update });
  await stack.startResearch('repeats', { task, budget: { proposals: 400 } });
  await stack.until(
    'the research to wait',
    `select reason like 'learning is halted: %entropy % is below%' as done, phase, reason
     from researches where id = 'repeats'`,
    [],
    120,
  );
  // Each answer is a number, a newline and letters: nothing is learnt from the letters.
  const [sample] = await stack.query<{ n: number; value: number; answer: number }>(
    `select cardinality(completion_ids) as n, value_tokens as value, answer_tokens as answer
     from rollouts where research_id = 'repeats' and sampled_at is not null order by seq desc limit 1`,
  );
  expect(sample?.answer).toBe((sample?.value ?? 0) + 1);
  expect(sample?.answer).toBeLessThan((sample?.n ?? 0) - 10);
  await stack.client.workflow.getHandle('repeats').signal('stop', { now: true });
  await stack.until('the research to end', ended, ['repeats']);
});
