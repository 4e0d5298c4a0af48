import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../../config/paths.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { learningTask } from './support.ts';

const KEY = 'secret-key';
let stack: TestStack;
let server: ChildProcess;
beforeAll(async () => {
  stack = await startTestStack();
  const program = join(packageRoot(), 'test/support/policy/vllm.mjs');
  const child = spawn(process.execPath, [program, 'smollm2-135m', KEY], { stdio: ['ignore', 'pipe', 'inherit'] });
  server = child;
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const env = {
    PERPETUA_POLICY_URL: `http://127.0.0.1:${line.replace('ready ', '')}/v1`,
    PERPETUA_POLICY_KEY: KEY,
  };
  await stack.startWorker({ slots: 2, env });
});
afterAll(async () => {
  server.kill();
  await stack.stop();
});

describe('a policy behind a server of another kind', () => {
  test('proposes, and each of its answers is kept with its tokens and their log-probabilities', async () => {
    const task = await learningTask(stack.home, 'samples', { update: 'none' });
    await stack.startResearch('samples', { task, budget: { proposals: 6 } });
    await stack.client.workflow.getHandle('samples').result();
    const drawn = await stack.query<{ version: string; ids: number[]; logprobs: number[]; prompt: number[] }>(
      `select policy_version as version, completion_ids as ids, logprobs, prompt_ids as prompt from rollouts
       where research_id = 'samples' order by seq`,
    );
    expect(drawn.map(({ version }) => version)).toEqual(Array(6).fill('base'));
    for (const { ids, logprobs, prompt } of drawn) {
      expect(logprobs).toHaveLength(ids.length);
      expect(prompt.length).toBeGreaterThan(0);
    }
    const [{ values } = { values: 0 }] = await stack.query<{ values: number }>(
      `select count(distinct value)::int as values from trials where research_id = 'samples' and kind = 'search'`,
    );
    expect(values).toBeGreaterThan(1);
  });

  test('learns nothing: a task that wants it is refused', async () => {
    const task = await learningTask(stack.home, 'learns');
    await stack.startResearch('learns', { task, budget: { proposals: 8 } });
    const failure = await stack.client.workflow
      .getHandle('learns')
      .result()
      .catch((error: unknown) => error);
    expect(String((failure as { cause?: { cause?: Error } }).cause?.cause ?? failure)).toContain(
      'search.update: expected none, since the server of PERPETUA_POLICY_URL samples and does not learn',
    );
  });
});
