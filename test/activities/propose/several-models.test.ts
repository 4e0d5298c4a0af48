import { MockActivityEnvironment } from '@temporalio/testing';
import { asc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createProposeActivities, type ProposeResult } from '../../../activities/propose.ts';
import { chooseProposer, requirePrice } from '../../../activities/task/require-runnable.ts';
import { readArmViews } from '../../../db/reads/read-arm-views.ts';
import * as schema from '../../../db/schema.ts';
import { Task } from '../../../domain/task/task.ts';
import { createLlm } from '../../../infra/llm/create-llm.ts';
import { createOpenAiLlm } from '../../../infra/llm/openai.ts';
import { ANTHROPIC } from '../../../infra/llm/providers/anthropic.ts';
import { priceOf } from '../../../infra/llm.ts';
import { describeArms } from '../../../view/rows/arms.ts';
import { hashOf, insertResearch, storeTrials, TASK, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';
import { startScriptedEndpoint, type ScriptedEndpoint } from '../../support/scripted-endpoint.ts';

const bench = useDatabase();
const PRICES = { a: { input: 1, output: 2 }, b: { input: 10, output: 20 }, c: { input: 0, output: 0 } };

let openai: ScriptedEndpoint;
let anthropic: ScriptedEndpoint;
const edit = (n: number): string => `HYPOTHESIS: try ${n}\n\ntrain.mjs\n\`\`\`\`\nconst LR = ${n};\n\`\`\`\`\n`;
const usage = { prompt_tokens: 100_000, completion_tokens: 50_000 };
let answers = 100;

beforeAll(async () => {
  openai = await startScriptedEndpoint({ script: () => ({ kind: 'answer', text: edit((answers += 1)), usage }) });
  anthropic = await startScriptedEndpoint({
    script: () => ({
      kind: 'status',
      status: 200,
      body: {
        type: 'message',
        model: 'b-1',
        content: [{ type: 'text', text: edit((answers += 1)) }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 40_000, cache_read_input_tokens: 60_000, output_tokens: 50_000 },
      },
    }),
  });
});
afterAll(() => Promise.all([openai.close(), anthropic.close()]));

const A = { name: 'llm', model: 'a', temperature: 0.2 };
const B = { name: 'llm', provider: 'anthropic', model: 'b', maxTokens: 50, body: { top_k: 5 } };
const C = { name: 'llm', model: 'c' };
const taskOf = (proposer: unknown, llm: object = {}) =>
  Task.parse({ ...TASK, llm: { model: 'c', temperature: 0.9, ...llm }, search: { proposer } });
const inTurn = (...proposers: object[]) => ({
  name: 'mix',
  by: 'schedule',
  arms: proposers.map((proposer) => ({ proposer, trials: 1 })),
});

/** A research on these arms, with open trials. */
async function open(
  id: string,
  { proposer, count, llm }: { proposer: { name: string }; count: number; llm?: object },
): Promise<void> {
  const task = taskOf(proposer, llm);
  const { search, abort, keep } = task;
  await insertResearch(bench.db, id, { proposer: proposer.name, settings: { search, abort, keep }, lastN: count });
  const version = { name: 'toy', task, yaml: '', stageHash: 's', evaluatorHash: 'e', metricKey: 'm' };
  const hash = `task of ${id}`;
  await bench.db
    .insert(schema.taskVersions)
    .values({ ...version, hash, immutableHash: 'i', mutablePaths: ['train.mjs'] });
  await bench.db.update(schema.researches).set({ taskHash: hash }).where(eq(schema.researches.id, id));
  const rows = Array.from({ length: count }, (_, index) => trialRow(id, index + 1, { taskHash: hash }));
  await storeTrials(bench.db, rows);
}

const clients = (): Pick<ActivityDeps['models'], 'llm' | 'llmModel' | 'native'> => ({
  llm: createOpenAiLlm({ baseUrl: openai.url, apiKey: 'openai-key' }),
  llmModel: 'usual',
  native: {
    anthropic: { llm: createLlm(ANTHROPIC, { baseUrl: anthropic.url, apiKey: 'anthropic-key' }), model: null },
  },
});

interface Attempt {
  attempt?: number;
  models?: Partial<ActivityDeps['models']>;
  reach?: ActivityDeps['reach'];
}

function propose(trialId: string, { attempt = 1, models = clients(), reach = () => undefined }: Attempt = {}) {
  const price = (model: string, tokensIn: number | null, tokensOut: number | null) =>
    priceOf({ model, tokensIn, tokensOut }, PRICES);
  const deps = {
    store: bench.store,
    models: { ...models, priceOf: price },
    pools: { hardware: async () => [], programs: async () => [] },
    reach,
    machine: { sha256: hashOf },
  } as unknown as ActivityDeps;
  const activity = createProposeActivities(deps).propose;
  return new MockActivityEnvironment({ attempt }).run<[{ trialId: string }], ProposeResult, typeof activity>(activity, {
    trialId,
  });
}

const callsOf = (id: string) =>
  bench.db.select().from(schema.calls).where(eq(schema.calls.trialId, id)).orderBy(asc(schema.calls.turn));

test('each arm asks its own model with its own settings, and its calls have that model and its price', async () => {
  await open('several', { proposer: inTurn(A, B), count: 2 });
  expect(await propose('several/1')).toEqual({ state: 'ready' });
  expect(await propose('several/2')).toEqual({ state: 'ready' });
  expect(openai.requests.at(-1)?.body).toMatchObject({ model: 'a', temperature: 0.2, max_tokens: 16384 });
  expect(openai.requests.at(-1)?.headers.authorization).toBe('Bearer openai-key');
  expect(anthropic.requests.at(-1)?.body).toMatchObject({ model: 'b', temperature: 0.9, max_tokens: 50, top_k: 5 });
  expect(anthropic.requests.at(-1)?.headers['x-api-key']).toBe('anthropic-key');
  expect(await callsOf('several/1')).toMatchObject([{ model: 'a', tokensIn: 100_000, usd: 0.2, tokensCached: null }]);
  expect(await callsOf('several/2')).toMatchObject([
    { model: 'b', tokensIn: 100_000, usd: 2, tokensCached: 60_000, request: { provider: 'anthropic' } },
  ]);
  const arms = await readArmViews(bench.db, { researchId: 'several' });
  expect(arms.map(({ key, trials }) => [key.includes('"model":"a"'), trials]).toSorted()).toEqual([
    [false, 1],
    [true, 1],
  ]);
});

test('a trial whose worker died keeps its model, and a stored answer is not bought again', async () => {
  await open('resumed', { proposer: inTurn(B, A), count: 1 });
  const before = anthropic.requests.length;
  const dieAt = (point: string) => (reached: string) => {
    if (reached === point) throw new Error('the worker died');
  };
  await expect(propose('resumed/1', { reach: dieAt('choice-stored') })).rejects.toThrow('died');
  // Without the stored choice, the other arm would have the turn now.
  await bench.store.research.countChoice({ researchId: 'resumed', key: 'another' });
  await expect(propose('resumed/1', { attempt: 2, reach: dieAt('proposal-stored') })).rejects.toThrow('died');
  expect(await propose('resumed/1', { attempt: 3 })).toEqual({ state: 'ready' });
  expect(anthropic.requests.length - before).toBe(1);
  expect(await callsOf('resumed/1')).toMatchObject([{ model: 'b', repeated: 0 }]);
});

test('an endpoint that is down costs no trial: arms of other endpoints go on, and the status names it', async () => {
  await open('away', { proposer: inTurn(A, C, B), count: 2 });
  await openai.down();
  const refused = propose('away/1', { attempt: 2 });
  await expect(refused).rejects.toMatchObject({ type: 'EndpointDown' });
  expect(await propose('away/1', { attempt: 3 })).toEqual({ state: 'ready' });
  await openai.up();
  expect(await callsOf('away/1')).toMatchObject([
    { model: 'a', answer: null, failed: 2 },
    { model: 'b', failed: 0 },
  ]);
  expect(await bench.store.trial.readEndpointOutageSeconds('away/1')).toBeGreaterThan(0);
  expect(await propose('away/2')).toEqual({ state: 'ready' });
  expect(await callsOf('away/2')).toMatchObject([{ model: 'b' }]);
  const status = describeArms(await readArmViews(bench.db, { researchId: 'away' })) ?? '';
  const named = new RegExp(`not chosen: model endpoint: cannot reach http://127.0.0.1:${openai.port}/v1`, 'g');
  expect(status.match(named)).toHaveLength(2);
  expect((await bench.store.research.findResearch('away'))?.endpointDown).toBeNull();
  await bench.db.update(schema.arms).set({ downUntil: new Date(0) });
  await storeTrials(bench.db, trialRow('away', 3, { taskHash: 'task of away' }));
  expect(await propose('away/3')).toEqual({ state: 'ready' });
  expect(describeArms(await readArmViews(bench.db, { researchId: 'away' }))).not.toContain('not chosen');
});

test('a model that is out of its rate leaves the other model of its endpoint in use', async () => {
  await open('limited', { proposer: inTurn(A, C), count: 1 });
  const limited = { kind: 'status', status: 429, body: { error: { message: 'too many' } } } as const;
  openai.setScript(({ body }) => (body.model === 'a' ? limited : { kind: 'answer', text: edit((answers += 1)) }));
  expect(await propose('limited/1', { attempt: 3 })).toEqual({ state: 'ready' });
  expect(await callsOf('limited/1')).toMatchObject([
    { model: 'a', answeredAt: null, limited: 1 },
    { model: 'c', answeredAt: expect.any(Date) as Date },
  ]);
});

test.each([
  ['503', { kind: 'status', status: 503, body: { error: { message: 'no server for a' } } }],
  ['a failure with status 200', { kind: 'status', status: 200, body: { error: { code: 502, message: 'a is away' } } }],
  ['a malformed answer', { kind: 'status', status: 200, body: { choices: [] } }],
] as const)('a model that answers with %s leaves the other model of its router in use', async (name, failure) => {
  const id = `router-${name.length}`;
  await open(id, { proposer: inTurn(A, C), count: 2 });
  openai.setScript(({ body }) => (body.model === 'a' ? failure : { kind: 'answer', text: edit((answers += 1)) }));
  await expect(propose(`${id}/1`, { attempt: 2 })).rejects.toMatchObject({ type: 'EndpointDown' });
  expect(await propose(`${id}/1`, { attempt: 3 })).toEqual({ state: 'ready' });
  expect(await propose(`${id}/2`)).toEqual({ state: 'ready' });
  expect((await callsOf(`${id}/2`)).map(({ model }) => model)).toEqual(['c']);
});

test('silent models of one endpoint are asked for two deadlines in an attempt, then the research waits', async () => {
  const proposer = inTurn(A, C, { name: 'llm', model: 'usual' });
  await open('silent', { proposer, count: 1, llm: { deadlineSeconds: 1 } });
  openai.setScript(() => ({ kind: 'silent' }));
  const before = openai.requests.length;
  await expect(propose('silent/1', { attempt: 3 })).rejects.toMatchObject({ type: 'EndpointDown' });
  expect(openai.requests.length - before).toBe(2);
  const [research] = await bench.db.select().from(schema.researches).where(eq(schema.researches.id, 'silent'));
  expect(research?.endpointDown).toContain('within 1 s');
});

test('a router whose models all fail leaves the trial to another endpoint, with one request for each', async () => {
  await open('dead-router', { proposer: inTurn(A, C, B), count: 1 });
  openai.setScript(() => ({ kind: 'status', status: 502, body: 'bad gateway' }));
  const before = openai.requests.length;
  expect(await propose('dead-router/1', { attempt: 3 })).toEqual({ state: 'ready' });
  expect(openai.requests.length - before).toBeLessThanOrEqual(2);
  expect((await callsOf('dead-router/1')).at(-1)).toMatchObject({ model: 'b', failed: 0 });
});

test('a worker that has only an endpoint of Anthropic asks it, if a model is named', async () => {
  const { native } = clients();
  const only = { llm: undefined, llmModel: undefined, ...(native && { native }) };
  await open('only', { proposer: { name: 'llm' }, count: 1 });
  expect(await propose('only/1', { models: only })).toEqual({ state: 'ready' });
  expect(await callsOf('only/1')).toMatchObject([{ model: 'c' }]);
  const facts = { hasTrainer: () => false, canLearn: () => false, hasOptimizer: () => false };
  const choose = (task: Task) => chooseProposer({ models: { ...only, ...facts } }, task, undefined);
  const knobs = [{ file: 'train.mjs', name: 'LR', type: 'float', range: [0.1, 1] }];
  expect(choose(taskOf('auto'))).toBe('llm');
  expect(choose(Task.parse({ ...TASK, knobs, search: { proposer: 'auto' } }))).toBe('mix');
  const named = { ...only, native: { anthropic: { ...only.native?.anthropic, model: 'b' } } };
  const task = Task.parse({ ...TASK, knobs, search: { proposer: 'auto' } });
  expect(chooseProposer({ models: { ...named, ...facts } as never }, task, undefined)).toBe('llm');
  expect(() => choose(taskOf(inTurn(B, { name: 'llm', provider: 'gemini', model: 'g' })))).toThrow(
    /^search\.proposer: mix may choose llm, which needs a model endpoint: none of gemini .* GEMINI_API_KEY, then npm/,
  );
});

test('a money budget needs the price of each model that an arm asks', () => {
  const models = { ...clients(), priceOf: (model: string) => (model === 'a' ? 1 : null) };
  const require = (proposer: unknown) => (): void =>
    requirePrice({ models }, { task: taskOf(proposer), proposer, usd: 1 });
  expect(require(inTurn(A))).not.toThrow();
  expect(require(inTurn(A, B))).toThrow(/^budget\.usd: expected a price for b, found none/);
});

test('a choice by USD needs the price of each model that an arm asks: it would count as free', () => {
  const models = { ...clients(), priceOf: (model: string) => (model === 'a' ? 1 : null) };
  const byUsd = (...proposers: object[]) => {
    const proposer = { name: 'mix', by: 'thompson', cost: 'usd', arms: proposers.map((arm) => ({ proposer: arm })) };
    return () => requirePrice({ models }, { task: taskOf(proposer), proposer, usd: undefined });
  };
  expect(byUsd(A, { name: 'random' })).not.toThrow();
  expect(byUsd(A, B)).toThrow(/^search\.proposer\.cost: expected a price for b, found none; set PERPETUA_PRICES/);
});
