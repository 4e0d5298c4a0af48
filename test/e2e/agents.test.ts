import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startScriptedEndpoint } from '../support/agents/scripted-endpoint.mjs';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { writeTask } from '../support/tasks.ts';

const AGENT = fileURLToPath(new URL('../support/agents/scripted-agent.mjs', import.meta.url));
const PROGRAM = `print("ready")\n`;

let stack: TestStack;
let endpoint: Awaited<ReturnType<typeof startScriptedEndpoint>>;

beforeAll(async () => {
  endpoint = await startScriptedEndpoint({ key: 'the-key', edit: `sed -i 's/^lr=.*/lr={call}/' knobs.env` });
  stack = await startTestStack();
  await stack.startWorker({ env: { OPENAI_BASE_URL: `${endpoint.url}/v1`, OPENAI_API_KEY: 'the-key' } });
});
afterAll(async () => {
  await stack.stop();
  await endpoint.close();
});

/** A recipe of the scripted agent. */
const recipe = (deed = '', more: Record<string, unknown> = {}) => ({
  protocol: 'chat',
  command: `exec node ${AGENT} ${deed}`,
  resume: `exec node ${AGENT}`,
  readable: [dirname(AGENT)],
  ...more,
});

async function research(name: string, { proposer, ...task }: Record<string, unknown> & { proposer: object }) {
  const folder = await writeTask(join(stack.home, 'tasks', name), {
    task: {
      name,
      mutable: ['knobs.env'],
      run: {
        command: '. ./knobs.env; echo "loss: $lr"',
        budget: { seconds: 30, kind: 'wall' },
        artefacts: [],
      },
      metric: { name: 'loss', direction: 'minimize', from: 'stdout' },
      evaluator: { type: 'none' },
      keep: { policy: 'strict', baselineRuns: 1 },
      search: { parent: 'original', proposer: { name: 'command', ...proposer } },
      budget: { proposals: 1 },
      ...task,
    },
    files: { 'workspace/knobs.env': 'lr=0.5\n', 'workspace/other.txt': 'immutable\n' },
  });
  await stack.research({ task: folder, id: name });
  const [row] = await stack.query<Record<string, unknown>>(
    `select status, failure, failure_message as message, value, hypothesis from trials where research_id = $1 and kind = 'search'`,
    [name],
  );
  return row;
}

test('the files that an agent leaves are the proposal', async () => {
  expect(await research('lands', { proposer: { agent: recipe() } })).toMatchObject({ status: 'completed' });
});
