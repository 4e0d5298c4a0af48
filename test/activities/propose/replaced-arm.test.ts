import { MockActivityEnvironment } from '@temporalio/testing';
import { and, asc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createLaunchActivities } from '../../../activities/launch.ts';
import { createProposeActivities, type ProposeResult } from '../../../activities/propose.ts';
import * as schema from '../../../db/schema.ts';
import { proposalJobOf } from '../../../domain/agent/proposal-job.ts';
import { Task } from '../../../domain/task/task.ts';
import { createLlm } from '../../../infra/llm/create-llm.ts';
import { createOpenAiLlm } from '../../../infra/llm/openai.ts';
import { ANTHROPIC } from '../../../infra/llm/providers/anthropic.ts';
import { hashOf, insertResearch, storeTrials, TASK, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';
import { type ScriptedEndpoint, startScriptedEndpoint } from '../../support/scripted-endpoint.ts';

const bench = useDatabase();
const edit = 'HYPOTHESIS: try it\n\ntrain.mjs\n````\nconst LR = 7;\n````\n';
const UNUSABLE = 'an answer without a change';

let openai: ScriptedEndpoint;
let anthropic: ScriptedEndpoint;

beforeAll(async () => {
  openai = await startScriptedEndpoint({ script: () => ({ kind: 'answer', text: edit }) });
  anthropic = await startScriptedEndpoint({
    script: () => ({
      kind: 'status',
      status: 200,
      body: {
        type: 'message',
        model: 'b-1',
        content: [{ type: 'text', text: 'no change here either' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 4, output_tokens: 5 },
      },
    }),
  });
});
beforeEach(() => openai.setScript(() => ({ kind: 'answer', text: edit })));
afterAll(() => Promise.all([openai.close(), anthropic.close()]));

const A = { name: 'llm', model: 'a' };
const B = { name: 'llm', provider: 'anthropic', model: 'b' };
const PI = { name: 'command', agent: 'pi' };
const CODEX = { name: 'command', agent: 'codex' };
const knobs = [{ file: 'train.mjs', name: 'LR', type: 'float', range: [0.01, 10] }];

/** Opens a research whose arms take turns, with one trial, which begins with the first arm. Returns the trial's id. */
async function open(id: string, ...proposers: object[]): Promise<string> {
  const arms = proposers.map((proposer) => ({ proposer, trials: 1 }));
  const task = Task.parse({ ...TASK, knobs, search: { proposer: { name: 'mix', by: 'schedule', arms } } });
  const { search, abort, keep } = task;
  await insertResearch(bench.db, id, { proposer: 'mix', settings: { search, abort, keep }, lastN: 1 });
  const version = { name: 'toy', task, yaml: '', stageHash: 's', evaluatorHash: 'e', metricKey: 'm' };
  const hash = `task of ${id}`;
  await bench.db
    .insert(schema.taskVersions)
    .values({ ...version, hash, immutableHash: 'i', mutablePaths: ['train.mjs'] });
  await bench.db.update(schema.researches).set({ taskHash: hash }).where(eq(schema.researches.id, id));
  await storeTrials(bench.db, trialRow(id, 1, { taskHash: hash }));
  return `${id}/1`;
}

/** A proposal whose worker has all agents but `lacks`. */
function propose(
  trialId: string,
  { attempt = 3, lacks = [], reach = () => undefined }: Attempt = {},
): Promise<ProposeResult> {
  const recipeOf = (command: string) => ({ protocol: 'chat', command, readable: [], env: {}, files: {} });
  const deps = {
    store: bench.store,
    machine: { sha256: hashOf },
    reach,
    agents: {
      find: (name: string) =>
        lacks.includes(name) ? { missing: `no ${name}` } : { recipe: recipeOf(name), folder: '/agent', readable: [] },
    },
    gateway: { lacks: () => null },
    models: {
      llm: createOpenAiLlm({ baseUrl: openai.url, apiKey: 'k' }),
      llmModel: 'usual',
      native: { anthropic: { llm: createLlm(ANTHROPIC, { baseUrl: anthropic.url, apiKey: 'k' }), model: null } },
      priceOf: () => null,
    },
    pools: { hardware: () => Promise.resolve([]), programs: () => Promise.resolve([]) },
  } as unknown as ActivityDeps;
  const activity = createProposeActivities(deps).propose;
  return new MockActivityEnvironment({ attempt }).run(activity, { trialId });
}

interface Attempt {
  attempt?: number;
  lacks?: string[];
  reach?: ActivityDeps['reach'];
}

/** Stores the end of a placement of a trial's agent, which left this text, and closes its job. */
async function endAgent(trialId: string, { placement, text }: { placement: number; text: string }): Promise<void> {
  const run = { jobId: proposalJobOf(trialId), placement };
  const end = { reason: 'exit', exitCode: 1, signal: null, tooLarge: [], changed: [] };
  await bench.db.insert(schema.runs).values({ ...run, host: 'h', slotId: 's', fence: 1, end, endedAt: new Date() });
  const [content, blobHash] = [Buffer.from(text), hashOf(text)];
  await bench.db.insert(schema.blobs).values({ hash: blobHash, content }).onConflictDoNothing();
  await bench.db.insert(schema.artefacts).values({ ...run, path: 'train.mjs', blobHash, size: content.length });
  await bench.store.job.closeJob(run.jobId, { why: 'ended', detail: null });
}

/** Ends the first run of a trial's agent by an outage, after a call that was answered and paid for. */
async function endByOutage(trialId: string): Promise<void> {
  const call = { trialId, protocol: 'chat', model: 'm', requestPart: 0 } as const;
  const paid = { tokensIn: 10, tokensOut: 20, usd: 0.5, answeredAt: new Date() };
  await bench.db.insert(schema.calls).values({ ...call, turn: 0, ...paid });
  await bench.db.insert(schema.calls).values({ ...call, turn: 1, failed: 1, error: 'refused' });
  await endAgent(trialId, { placement: 0, text: 'const LR = 0.1;\n' });
}

const dieAt =
  (point: string): ActivityDeps['reach'] =>
  (reached) => {
    if (reached === point) throw new Error('the worker died');
  };

const callsOf = (id: string) =>
  bench.db.select().from(schema.calls).where(eq(schema.calls.trialId, id)).orderBy(asc(schema.calls.turn));

/** The arms of a research that are not chosen at present. */
const downIn = async (researchId: string): Promise<string[]> =>
  (await bench.store.research.readArms({ researchId })).filter(({ isDown }) => isDown).map(({ key }) => key);

test('an arm of llm in place of an agent keeps the calls of the agent, and asks in turns of its own', async () => {
  const trialId = await open('agent-llm', PI, A);
  expect(await propose(trialId)).toMatchObject({ state: 'job' });
  await endByOutage(trialId);
  expect(await propose(trialId)).toEqual({ state: 'ready' });
  expect(await callsOf(trialId)).toMatchObject([
    { turn: 0, protocol: 'chat', model: 'm', request: null, tokensIn: 10, usd: 0.5, repeated: 0 },
    { turn: 1, protocol: 'chat', model: 'm', request: null, error: 'refused', repeated: 0 },
    { turn: 2, protocol: null, model: 'a', answer: edit, repeated: 0 },
  ]);
});

test('a late call of an agent that was replaced costs the next arm neither its turn nor an attempt', async () => {
  const trialId = await open('late', PI, A);
  await propose(trialId);
  await endByOutage(trialId);
  await expect(propose(trialId, { reach: dieAt('model-request-sent') })).rejects.toThrow('died');
  // The call of the agent came just before the request of the model.
  const late = { protocol: 'chat', model: 'm', request: null, requestPart: 0 } as const;
  const { trialId: ofTrial, turn } = schema.calls;
  await bench.db
    .update(schema.calls)
    .set(late)
    .where(and(eq(ofTrial, trialId), eq(turn, 2)));
  expect(await propose(trialId)).toEqual({ state: 'ready' });
  expect((await callsOf(trialId)).slice(2)).toMatchObject([
    { turn: 2, model: 'm', answer: null, repeated: 0 },
    { turn: 3, model: 'a', answer: edit },
  ]);
});

test('an arm of llm in place of another one does not read its answers, and has all its attempts', async () => {
  const trialId = await open('llm-llm', A, B);
  openai.setScript(({ body }) =>
    JSON.stringify(body).includes(UNUSABLE)
      ? { kind: 'status', status: 503, body: { error: { message: 'away' } } }
      : { kind: 'answer', text: UNUSABLE },
  );
  await expect(propose(trialId, { attempt: 1 })).rejects.toMatchObject({ type: 'EndpointDown' });
  const before = anthropic.requests.length;
  expect(await propose(trialId)).toMatchObject({ state: 'ended' });
  const models = (await callsOf(trialId)).map(({ turn, model }) => `${turn} ${model}`);
  expect(models).toEqual(['0 a', '1 a', '2 b', '3 b', '4 b']);
  expect(anthropic.requests).toHaveLength(before + 3);
  expect(JSON.stringify(anthropic.requests[before]?.body)).not.toContain(UNUSABLE);
});

test('an agent in place of another one runs, and the end of the first one is not read again', async () => {
  const trialId = await open('agent-agent', PI, CODEX);
  const jobId = proposalJobOf(trialId);
  const opened = { state: 'job', jobId, pool: 'agents' };
  expect(await propose(trialId)).toEqual(opened);
  await endByOutage(trialId);
  await expect(propose(trialId, { reach: dieAt('proposal-opened') })).rejects.toThrow('died');
  expect(await propose(trialId)).toEqual(opened);
  expect(await downIn('agent-agent')).toEqual([expect.stringContaining('pi')]);
  const found = await bench.store.job.findJob(jobId);
  const spec = { agent: { command: 'codex' } };
  expect(found).toMatchObject({ placement: 1, job: { endedAt: null, ending: null, spec } });
  const { resume } = createLaunchActivities({ store: bench.store } as unknown as ActivityDeps);
  expect(await new MockActivityEnvironment().run(resume, { jobId })).toEqual({ state: 'unleased', placement: 1 });
  await endAgent(trialId, { placement: 1, text: 'const LR = 3;\n' });
  expect(await propose(trialId)).toEqual({ state: 'ready' });
  expect(await bench.store.trial.loadTrial(trialId)).toMatchObject({ proposer: 'command', firstTurn: 2 });
});

test('an agent that made no call is not credited with the calls of the agent that it replaced', async () => {
  const trialId = await open('idle', PI, CODEX);
  await propose(trialId);
  await endByOutage(trialId);
  await propose(trialId);
  await endAgent(trialId, { placement: 1, text: 'const LR = 0.1;\n' });
  expect(await propose(trialId)).toMatchObject({ state: 'ended' });
  const { failure, failureMessage } = await bench.store.trial.loadTrial(trialId);
  expect([failure, failureMessage]).toEqual(['proposer-failed', expect.stringContaining('asked no model')]);
});

test('an agent that the worker lacks leaves the trial to a third arm, though another agent has run', async () => {
  const trialId = await open('third', PI, CODEX, A);
  await propose(trialId);
  await endByOutage(trialId);
  expect(await propose(trialId, { lacks: ['codex'] })).toEqual({ state: 'ready' });
  const { proposer, proposerReason } = await bench.store.trial.loadTrial(trialId);
  expect([proposer, proposerReason]).toEqual(['llm', expect.stringContaining('skipped: agent: no codex')]);
  expect((await downIn('third')).length).toBe(2);
});

test('a policy replaces no arm, since its trials have places in groups from their beginning', async () => {
  const policy = { name: 'policy', base: 'tiny' };
  await openai.down();
  const trialId = await open('learner', A, policy, { name: 'random' });
  expect(await propose(trialId)).toEqual({ state: 'ready' });
  expect(await bench.store.trial.loadTrial(trialId)).toMatchObject({ proposer: 'random' });
  const alone = await open('learner-alone', A, policy);
  await expect(propose(alone)).rejects.toMatchObject({ type: 'EndpointDown' });
  expect(await bench.store.trial.loadTrial(alone)).toMatchObject({ proposer: 'llm' });
  await openai.up();
});
