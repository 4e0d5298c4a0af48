import { createHash } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createProposeActivities, type ProposeInput, type ProposeResult } from '../../../activities/propose.ts';
import { calls, researches, trials } from '../../../db/schema.ts';
import { readRates, readTrialRates } from '../../../db/reads/status/read-rates.ts';
import type { Llm, LlmAnswer, LlmRequest } from '../../../infra/llm.ts';
import { insertTrials, useDatabase } from '../../db/support.ts';
import { countTokens } from '../../../activities/propose/ask-model.ts';
import type { Research } from '../../../db/research/research.ts';
import { TASK } from '../../cli/support/lineage.ts';

const bench = useDatabase();

const ANSWER = { finishReason: 'stop', refusal: null, model: 'm', tokensIn: 3, tokensOut: 5, latencySeconds: 1 };

const withEdit = (text: string): string => `HYPOTHESIS: a try\n\ntrain.mjs\n\`\`\`\`\n// ${text}\n\`\`\`\`\n`;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A model without a known limit of its prompts. */
const llmOf = (complete: Llm['complete']): Llm => ({ complete, promptLimit: () => null });

function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

/** The n-th attempt of one workflow run's proposal for trial 1. */
function attempt(id: string, n: number, from: { store: ActivityDeps['store']; llm: Llm }): Promise<ProposeResult> {
  const deps = {
    store: from.store,
    models: { llm: from.llm, llmModel: 'm', priceOf: () => 0.5 },
    pools: { hardware: () => Promise.resolve([]), programs: () => Promise.resolve([]) },
    reach: () => undefined,
    machine: { sha256 },
  } as unknown as ActivityDeps;
  const { propose } = createProposeActivities(deps);
  const workflowExecution = { workflowId: `${id}/1`, runId: 'run' };
  const environment = new MockActivityEnvironment({ attempt: n, workflowExecution });
  return environment.run<[ProposeInput], ProposeResult, typeof propose>(propose, { trialId: `${id}/1` });
}

test('an attempt that slept before its request takes nothing from the living one, and buys nothing', async () => {
  await insertTrials(bench.db, 'asleep', 1);
  await bench.db.update(researches).set({ proposer: 'llm' });
  const woken = gate();
  const begun = gate();
  const answered = gate();
  let bought = 0;
  const beginCall: ActivityDeps['store']['call']['beginCall'] = async (input) => {
    begun.open();
    await woken.opened;
    return bench.store.call.beginCall(input);
  };
  const zombie = attempt('asleep', 1, {
    store: {
      ...bench.store,
      call: { ...bench.store.call, beginCall },
    },
    llm: llmOf(() => Promise.resolve({ ...ANSWER, text: withEdit(`zombie ${(bought += 1)}`) })),
  });
  const refused = expect(zombie).rejects.toThrow('a later attempt asks the model');
  await begun.opened;
  const complete = async () => {
    woken.open();
    await answered.opened;
    return { ...ANSWER, text: withEdit('living') };
  };
  const living = attempt('asleep', 2, {
    store: bench.store,
    llm: llmOf(complete),
  });
  await refused;
  answered.open();
  expect(await living).toEqual({ state: 'ready' });
  expect(bought).toBe(0);
  expect(await bench.store.call.findCall({ trialId: 'asleep/1', turn: 0 })).toMatchObject({ attempt: 2, repeated: 0 });
  expect(await bench.store.research.findResearch('asleep')).toMatchObject({ tokens: 8, usd: 0.5 });
});

test('a research that a person has stopped waits for no endpoint that is down', async () => {
  await insertTrials(bench.db, 'stopped', 1);
  const away = llmOf(() => Promise.reject(Object.assign(new Error('no answer'), { name: 'LlmError' })));
  const inPhase = (phase: 'running' | 'stopping') =>
    bench.db.update(researches).set({ proposer: 'llm', phase }).where(eq(researches.id, 'stopped'));
  await inPhase('running');
  await expect(
    attempt('stopped', 1, {
      store: bench.store,
      llm: away,
    }),
  ).rejects.toMatchObject({
    type: 'EndpointDown',
  });
  await inPhase('stopping');
  await attempt('stopped', 2, {
    store: bench.store,
    llm: away,
  });
  const [trial] = await bench.db.select().from(trials).where(eq(trials.id, 'stopped/1'));
  expect(trial).toMatchObject({
    status: 'rejected',
    failure: 'proposer-failed',
    failureMessage: 'stopped before an answer came: model endpoint: no answer',
  });
});

test('refusals by 429, answers of no use and copies are counted apart', async () => {
  await insertTrials(bench.db, 'rated', 2);
  await bench.db.update(researches).set({ proposer: 'llm' }).where(eq(researches.id, 'rated'));
  const tooMany = Object.assign(new Error('too many'), { name: 'LlmError', kind: 'down', status: 429 });
  const refusing = llmOf(() => Promise.reject(tooMany));
  await expect(attempt('rated', 1, { store: bench.store, llm: refusing })).rejects.toThrow('too many');
  const texts = ['no edit at all', withEdit('rated')];
  const llm = llmOf(() => Promise.resolve({ ...ANSWER, text: texts.shift() ?? '' }));
  expect(await attempt('rated', 2, { store: bench.store, llm })).toEqual({ state: 'ready' });
  const spend = { id: 'rated', usd: 1, tokens: 16 };
  expect(await readRates(bench.db, spend)).toMatchObject({
    requests: 3,
    answers: 2,
    badRate: 0.5,
    duplicateRate: 0,
    limitedRate: 1 / 3,
    unpriced: 0,
    perClaim: null,
    latencySeconds: { p50: 1, p95: 1 },
  });
  await bench.db.update(trials).set({ status: 'cached' }).where(eq(trials.id, 'rated/1'));
  await bench.db.update(calls).set({ usd: null }).where(eq(calls.turn, 0));
  expect(await readRates(bench.db, spend)).toMatchObject({ badRate: 0.5, duplicateRate: 0.5, unpriced: 1 });
  expect(await readTrialRates(bench.db, { trialId: 'rated/1' })).toMatchObject({ requests: 3, badRate: 0.5 });
  expect(await readTrialRates(bench.db, { trialId: 'rated/2' })).toBe(null);
  // The endpoint was away until the second request, which says nothing about the model.
  expect(await bench.store.trial.readEndpointOutageSeconds('rated/1')).toBeGreaterThan(0);
});

describe('the tokens of an answer', () => {
  const request = { messages: [{ role: 'user', content: 'abcdef' }] } as unknown as LlmRequest;
  const silent = { text: 'abc', tokensIn: null, tokensOut: null } as unknown as LlmAnswer;
  const count = (budget: Partial<Research['budget']>, answer = silent) =>
    countTokens({ budget: { ...TASK.budget, ...budget } }, { request, answer });

  test('the usage is estimated if the endpoint reports none and tokens or money are limited', () => {
    expect(count({ tokens: 10 })).toEqual({ tokensIn: 2, tokensOut: 1, estimated: true });
    expect(count({ usd: 1 }, { ...silent, tokensIn: 7 })).toEqual({ tokensIn: 7, tokensOut: 1, estimated: true });
  });

  test('nothing is estimated if the endpoint reports its usage, or if no budget needs it', () => {
    expect(count({})).toEqual({ tokensIn: null, tokensOut: null, estimated: false });
    const usage = { tokensIn: 5, tokensOut: 0 };
    expect(count({ tokens: 10 }, { ...silent, ...usage })).toEqual({ ...usage, estimated: false });
  });
});
