import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AgentBench,
  agentCalls,
  agentTrials,
  openAgentBench,
  startAgentResearch,
} from '../../support/agents/agent-bench.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';

/** Tries of an agent beside its edit; each line of its output has the name of a try. */
const TRIES = `echo X=6.5 >knobs.env; echo 'echo cheat' >>run.sh
echo "log: $(git log --format=%s)"
echo "status: $(git status --short | tr '\\n' ' ')"
echo "evaluator: $(find / -name score.sh 2>/dev/null | head -n 1)"
echo "key: $(cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c the-key)"
echo "network: $(node -e "fetch('http://10.0.0.1/').catch((error) => console.log(error.cause.code))")"
echo "files: $(node -e "fetch('http://127.0.0.1:8080/v1/files').then((answer) => console.log(answer.status))")"`;

let stack: TestStack;
let bench: AgentBench;

beforeAll(async () => {
  bench = await openAgentBench({ edit: TRIES, logsBodies: true });
  stack = await startTestStack();
  await stack.startWorker({ env: bench.env });
});
afterAll(async () => {
  await stack.stop();
  await bench.close();
});

async function propose(id: string, proposer: Record<string, unknown>) {
  await startAgentResearch(stack, id, proposer);
  await stack.client.workflow.getHandle(id).result();
  return (await agentTrials(stack, id))[0];
}

const SCORED = { status: 'completed', failure: null, message: null, value: -0.25 };

test('the mutable files that an agent leaves are the proposal; it reaches nothing but models', async () => {
  expect(await propose('lands', { agent: bench.recipe() })).toMatchObject({
    ...SCORED,
    hypothesis: 'X is nearer to 7.',
  });
  expect(await agentCalls(stack, 'lands/2')).toMatchObject(
    [0, 1].map((turn) => ({ turn, tokensIn: 1000, tokensOut: 50, repeated: 0, error: null, answered: true })),
  );
  const { messages } = bench.endpoint.requests.at(-1)?.body as { messages: { role: string; content: string }[] };
  const output = messages.findLast(({ role }) => role === 'tool')?.content ?? '';
  expect(Object.fromEntries([...output.matchAll(/^(\w+): (.*)$/gm)].map(([, name, text]) => [name, text]))).toEqual({
    log: 'The parent',
    status: ' M knobs.env  M run.sh ',
    evaluator: '',
    key: '0',
    network: expect.stringMatching(/^E\w+$/) as string,
    files: '403',
  });
  const [run] = await stack.query<{ end: { changed: string[]; cpuSeconds: number } }>(
    `select "end" from runs where trial_id = 'proposal/lands/2/agent'`,
  );
  expect(run?.end.changed).toEqual(['run.sh']);
  expect(run?.end.cpuSeconds).toBeGreaterThan(0);
  const [charged] = await stack.query(`select tokens::int from researches where id = 'lands'`);
  expect(charged).toEqual({ tokens: 2100 });
  expect(await readdir(join(stack.home, 'gateway'))).toEqual([]);
});

test('an agent that a signal ends goes on with its conversation', async () => {
  const before = bench.endpoint.requests.length;
  expect(await propose('dies', { agent: bench.recipe('dies once') })).toMatchObject(SCORED);
  const roles = bench.endpoint.requests.slice(before).map(({ body }) => {
    const { messages } = body as { messages: { role: string }[] };
    return messages.map(({ role }) => role).join(' ');
  });
  expect(roles).toEqual(['user', 'user', 'user assistant tool']);
});

test('an agent whose calls are spent ends, and what it did stays', async () => {
  expect(await propose('spent', { agent: bench.recipe(), calls: 1 })).toMatchObject({
    ...SCORED,
    hypothesis: 'changes knobs.env (it ended with exit code 1)',
  });
});

test('an agent without an endpoint runs again once there is one: the research waits, and names it', async () => {
  bench.outage = true;
  await startAgentResearch(stack, 'outage', { agent: bench.recipe() });
  const down = `select endpoint_down like 'model endpoint: %insufficient_quota%' as done from researches where id = $1`;
  await stack.until('the wait for the endpoint', down, ['outage']);
  bench.outage = false;
  await stack.client.workflow.getHandle('outage').result();
  expect(await agentTrials(stack, 'outage')).toMatchObject([SCORED]);
  const [after] = await stack.query(
    `select endpoint_down, (select count(*)::int from runs where trial_id = 'proposal/outage/2/agent') as runs
     from researches where id = 'outage'`,
  );
  expect(after).toEqual({ endpoint_down: null, runs: 2 });
  expect(await readdir(join(stack.home, 'gateway'))).toEqual([]);
});

test('an agent that is silent is stopped, and one that changes nothing proposes nothing', async () => {
  expect(await propose('hangs', { agent: bench.recipe('hangs'), stallSeconds: 2 })).toMatchObject({
    status: 'rejected',
    failure: 'proposer-failed',
    message:
      'the agent changed no mutable file and asked no model; ' +
      'it was stopped: it neither printed nor asked a model for 2 s (search.proposer.stallSeconds)',
  });
  expect(await propose('crashes', { agent: bench.recipe('crashes') })).toMatchObject({
    status: 'rejected',
    failure: 'proposer-failed',
    message: 'the agent changed no mutable file and asked no model; it ended with exit code 3',
  });
});
