import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startScriptedEndpoint } from '../support/agents/scripted-endpoint.mjs';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { writeTask } from '../support/tasks.ts';

const SOURCE = fileURLToPath(new URL('../support/agents/scripted-agent.mjs', import.meta.url));

let program: string;
let stack: TestStack;
let endpoint: Awaited<ReturnType<typeof startScriptedEndpoint>>;

beforeAll(async () => {
  // Runs see no folder of Perpetua.
  program = join(await mkdtemp(join(tmpdir(), 'perpetua-agent-')), 'agent.mjs');
  await copyFile(SOURCE, program);
  await chmod(dirname(program), 0o755);
  endpoint = await startScriptedEndpoint({ key: 'the-key', edit: 'echo X=6.5 >knobs.env', say: 'X is nearer to 7.' });
  stack = await startTestStack();
  await stack.startWorker({
    env: { OPENAI_BASE_URL: `${endpoint.url}/v1`, OPENAI_API_KEY: 'the-key', OPENAI_MODEL: 'scripted' },
  });
});
afterAll(async () => {
  await stack.stop();
  await endpoint.close();
  await rm(dirname(program), { recursive: true, force: true });
});

interface Row {
  status: string;
  failure: string | null;
  message: string | null;
  value: number | null;
  hypothesis: string | null;
}

/** Runs a research of one proposal of the scripted agent, which first does a deed. Returns the proposal's trial. */
async function propose(id: string, deed: string, settings: Record<string, unknown> = {}): Promise<Row | undefined> {
  const agent = {
    protocol: 'chat',
    command: `exec node ${program} ${deed}`,
    resume: `exec node ${program}`,
    readable: [dirname(program)],
  };
  const proposer = { name: 'command', agent, ...settings } as never;
  const folder = await writeTask(join(stack.home, 'tasks', id), {
    task: { name: id, search: { parent: 'original', proposer }, keep: { policy: 'strict', baselineRuns: 1 } },
  });
  await stack.startResearch(id, { task: folder, budget: { proposals: 1 } });
  await stack.client.workflow.getHandle(id).result();
  const [row] = await stack.query<Row & Record<string, unknown>>(
    `select status, failure, failure_message as message, value, hypothesis from trials
     where research_id = $1 and kind = 'search'`,
    [id],
  );
  return row;
}

test('the files that an agent leaves are the proposal, and its last message is the hypothesis', async () => {
  expect(await propose('lands', '')).toEqual({
    status: 'completed',
    failure: null,
    message: null,
    value: -0.25,
    hypothesis: 'X is nearer to 7.',
  });
});
