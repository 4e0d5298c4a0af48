import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AgentBench,
  agentCalls,
  agentTrials,
  killRelays,
  openAgentBench,
  startAgentResearch,
} from '../../support/agents/agent-bench.ts';
import { expectNoProcesses } from '../../support/database/ledger.ts';
import { FAULTS } from '../../support/e2e/fault-table.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';

/** Milliseconds of an answer: a kill during a call is likely. */
const WAIT = 400;
const TURNS = 4;

let stack: TestStack;
let bench: AgentBench;
let worker: TestWorker;

const restart = async (): Promise<void> => {
  worker = await stack.startWorker({ slots: 2, env: bench.env });
};
beforeAll(async () => {
  bench = await openAgentBench({ wait: WAIT, turns: TURNS, edit: 'echo X=6.{call} >knobs.env' });
  stack = await startTestStack();
  await restart();
});
afterAll(async () => {
  await stack.stop();
  await bench.close();
});

/** Expects one proposal, whose calls are all in the ledger. Returns how many calls were bought again. */
async function expectOne(id: string, requests: number): Promise<number> {
  const trials = await agentTrials(stack, id);
  expect(trials).toMatchObject([{ status: 'completed', failure: null, hypothesis: 'X is nearer to 7.' }]);
  const calls = await agentCalls(stack, `${id}/2`);
  expect(calls.map(({ turn, answered }) => [turn, answered])).toEqual(calls.map((_, turn) => [turn, true]));
  const repeated = calls.reduce((sum, call) => sum + call.repeated, 0);
  // Each request that reached the endpoint is an answered call, or is counted as bought again.
  expect(calls.length + repeated).toBeGreaterThanOrEqual(bench.endpoint.requests.length - requests);
  // An agent that dies with an answer that it has not kept asks for it again.
  const whole = calls.filter(({ cut }) => !cut).length;
  expect([TURNS + 1, TURNS + 2]).toContain(whole);
  const [runs] = await stack.query(`select count(*)::int as runs from runs where trial_id = $1 and "end" is not null`, [
    `proposal/${id}/2/agent`,
  ]);
  expect(runs).toEqual({ runs: 1 });
  const leased = await stack.query(`select id from slots where state = 'leased'`);
  expect(leased).toEqual([]);
  await expectNoProcesses(stack.home);
  return repeated;
}

test.each(FAULTS['worker-dies/local/agent'])(
  'a worker that dies at %s is a pause for the agent: one conversation, one proposal',
  async (killAt) => {
    const before = bench.endpoint.requests.length;
    worker.dieAt(killAt);
    await startAgentResearch(stack, killAt, { agent: bench.recipe() });
    await worker.gone;
    await restart();
    await stack.client.workflow.getHandle(killAt).result();
    await expectOne(killAt, before);
  },
);

test.each(FAULTS['worker-dies-in-an-outage/local/agent'])(
  'a worker that dies at %s of an agent without an endpoint starts it once more, and no proposal is lost',
  async (killAt) => {
    bench.outage = true;
    worker.dieAt(killAt);
    await startAgentResearch(stack, 'outage', { agent: bench.recipe() });
    await worker.gone;
    bench.outage = false;
    await restart();
    await stack.client.workflow.getHandle('outage').result();
    expect(await agentTrials(stack, 'outage')).toMatchObject([{ status: 'completed', failure: null }]);
    const runs = `select count(*)::int as runs from runs where trial_id = 'proposal/outage/2/agent'`;
    expect(await stack.query(runs)).toEqual([{ runs: 2 }]);
    expect(await stack.query(`select id from slots where state = 'leased'`)).toEqual([]);
    await expectNoProcesses(stack.home);
  },
);

test('a worker that dies during a call costs one more call, which is marked', async () => {
  const before = bench.endpoint.requests.length;
  await startAgentResearch(stack, 'in-a-call', { agent: bench.recipe() });
  while (bench.endpoint.requests.length < before + 2) await sleep(20);
  await worker.kill();
  await restart();
  await stack.client.workflow.getHandle('in-a-call').result();
  expect(await expectOne('in-a-call', before)).toBe(1);
});

test.each([
  ['agent', () => bench.killAgents()],
  ['relay', () => killRelays(stack)],
])('a killed %s costs no proposal', async (id, kill) => {
  const before = bench.endpoint.requests.length;
  await startAgentResearch(stack, `killed-${id}`, { agent: bench.recipe() });
  while (bench.endpoint.requests.length < before + 2) await sleep(20);
  expect(kill()).toBe(true);
  await stack.client.workflow.getHandle(`killed-${id}`).result();
  await expectOne(`killed-${id}`, before);
});
