import { MockActivityEnvironment } from '@temporalio/testing';
import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createProposeActivities, type ProposeInput, type ProposeResult } from '../../../activities/propose.ts';
import { calls, researches, trials } from '../../../db/schema.ts';
import { type Llm, type LlmAnswer, LlmError, type LlmRequest } from '../../../infra/llm.ts';
import { insertTrials, useDatabase } from '../../db/support.ts';

const bench = useDatabase();

const USAGE = { model: 'm', tokensIn: 3, tokensOut: 5, latencySeconds: 1 };
const answer = (text: string): LlmAnswer => ({ text, finishReason: 'stop', refusal: null, ...USAGE });
const EDIT = 'HYPOTHESIS: a try\n\ntrain.mjs\n````\n// new\n````\n';
const nothing = (): LlmError => new LlmError('got an answer without choices', { kind: 'malformed', status: 200 });
const isProbe = ({ messages }: LlmRequest): boolean => messages.length === 1;

/** A model that answers each request by a function, and keeps the requests. */
function modelOf(answerTo: (request: LlmRequest, nth: number) => LlmAnswer | LlmError) {
  const requests: LlmRequest[] = [];
  let limit: number | null = null;
  const llm: Llm = {
    complete: (request) => {
      requests.push(request);
      const given = answerTo(request, requests.length);
      if (!(given instanceof LlmError)) return Promise.resolve(given);
      const length = request.messages.reduce((sum, { content }) => sum + content.length, 0);
      if (given.refused === 'length') limit = Math.floor(length / 2);
      return Promise.reject(given);
    },
    promptLimit: () => limit,
  };
  return { llm, requests };
}

/** The n-th attempt of the proposal of a research's first trial; the message of its failure, if it is tried again. */
async function attempt(id: string, n: number, llm: Llm): Promise<ProposeResult | string> {
  const deps = {
    store: bench.store,
    models: { llm, llmModel: 'm', priceOf: () => 0.5 },
    pools: { hardware: () => Promise.resolve([]), programs: () => Promise.resolve([]) },
    reach: () => undefined,
    machine: { sha256: (text: string) => createHash('sha256').update(text).digest('hex') },
  } as unknown as ActivityDeps;
  const { propose } = createProposeActivities(deps);
  const environment = new MockActivityEnvironment({
    attempt: n,
    workflowExecution: { workflowId: `${id}/1`, runId: 'run' },
  });
  return environment
    .run<[ProposeInput], ProposeResult, typeof propose>(propose, { trialId: `${id}/1` })
    .catch((error: unknown) => (error as Error).message);
}

async function begin(id: string): Promise<void> {
  await insertTrials(bench.db, id, 2);
  await bench.db.update(researches).set({ proposer: 'llm' }).where(eq(researches.id, id));
}

const rowOf = async (id: string) => {
  const [trial] = await bench.db
    .select()
    .from(trials)
    .where(eq(trials.id, `${id}/1`));
  const [call] = await bench.db
    .select()
    .from(calls)
    .where(eq(calls.trialId, `${id}/1`));
  const research = await bench.store.research.findResearch(id);
  return { trial, call, down: research?.endpointDown ?? null, tokens: research?.tokens };
};

describe('an answer without a completion and without an error', () => {
  test('waits like an outage, and costs no trial while the endpoint answers nothing else', async () => {
    await begin('away');
    const { llm, requests } = modelOf(() => nothing());
    for (let n = 1; n <= 8; n += 1) expect(await attempt('away', n, llm)).toContain('an answer without choices');
    const { trial, call, down, tokens } = await rowOf('away');
    expect(trial?.status).toBeNull();
    expect(down).toContain('an answer without choices');
    // From the fifth attempt on, only the probe is sent.
    expect(requests.map(isProbe)).toEqual([false, false, false, false, true, true, true, true]);
    expect(call).toMatchObject({ failed: 4, answer: null });
    expect(tokens).toBe(0);
    const back = modelOf((request) => answer(isProbe(request) ? 'ready' : EDIT));
    expect(await attempt('away', 9, back.llm)).toEqual({ state: 'ready' });
    // The answer's tokens and those of the probe.
    expect(await rowOf('away')).toMatchObject({ down: null, tokens: 16 });
  });

  test('is the answer to its prompt if it comes five times while a probe is answered', async () => {
    await begin('mute');
    const { llm, requests } = modelOf((request) => (isProbe(request) ? answer('ready') : nothing()));
    for (let n = 1; n <= 4; n += 1) expect(await attempt('mute', n, llm)).toContain('an answer without choices');
    expect(await attempt('mute', 5, llm)).toMatchObject({ state: 'ended', ended: { status: 'rejected' } });
    expect(requests.map(isProbe)).toEqual([false, false, false, false, true, false]);
    const { trial, call, down, tokens } = await rowOf('mute');
    expect(trial).toMatchObject({ status: 'rejected', failure: 'proposer-failed' });
    expect(trial?.failureMessage).toContain('answers other prompts, and this one with no completion: got an answer');
    expect(call).toMatchObject({ unused: 'proposer-failed', outcome: { finishReason: 'nothing' } });
    expect([down, tokens]).toEqual([null, 8]);
  });

  test('needs no probe if another trial got an answer since', async () => {
    await begin('others');
    const { llm, requests } = modelOf(() => nothing());
    for (let n = 1; n <= 4; n += 1) await attempt('others', n, llm);
    const other = { trialId: 'others/2', turn: 0 };
    const mark = await bench.store.call.beginCall({ ...other, model: 'm', request: {}, workflowRun: 'r', attempt: 1 });
    const saved = { ...other, mark: mark ?? '', answer: 'a', outcome: { finishReason: 'stop' }, latencySeconds: 1 };
    await bench.store.call.saveAnswer({ ...saved, tokensIn: 1, tokensOut: 1, usd: null });
    expect(await attempt('others', 5, llm)).toMatchObject({ state: 'ended', ended: { status: 'rejected' } });
    expect(requests.map(isProbe)).toEqual([false, false, false, false, false]);
  });

  test('that was taken as the answer is not asked for again after a crash', async () => {
    await begin('crashed');
    const key = { trialId: 'crashed/1', turn: 0 };
    const mark = await bench.store.call.beginCall({ ...key, model: 'm', request: {}, workflowRun: 'run', attempt: 1 });
    const outcome = { finishReason: 'nothing', refusal: null, why: 'got no choices' };
    const saved = { ...key, mark: mark ?? '', answer: '', outcome, latencySeconds: null };
    await bench.store.call.saveAnswer({ ...saved, tokensIn: null, tokensOut: null, usd: null });
    const { llm, requests } = modelOf(() => nothing());
    expect(await attempt('crashed', 2, llm)).toMatchObject({ state: 'ended', ended: { status: 'rejected' } });
    expect(requests).toEqual([]);
    expect((await rowOf('crashed')).trial?.failureMessage).toContain('got no choices');
  });
});

describe('a refusal by the endpoint', () => {
  const tooLong = (): LlmError =>
    new LlmError('the prompt is too long', { kind: 'refused', status: 400, refused: 'length' });
  const lengthOf = ({ messages }: LlmRequest): number => messages.reduce((sum, { content }) => sum + content.length, 0);

  beforeAll(async () => {
    for (const id of ['shorter', 'never', 'setting', 'content']) await begin(id);
    const text = 'a long note '.repeat(300);
    for (let n = 0; n < 10; n += 1) await bench.store.research.insertNote({ id: `n${n}`, researchId: 'shorter', text });
  });

  test('of a long prompt is answered by shorter ones, within one try of the trial', async () => {
    const { llm, requests } = modelOf((request) => (lengthOf(request) > 9000 ? tooLong() : answer(EDIT)));
    expect(await attempt('shorter', 1, llm)).toEqual({ state: 'ready' });
    const lengths = requests.map(lengthOf);
    expect(lengths.length).toBeGreaterThan(1);
    for (const [at, length] of lengths.slice(1).entries())
      expect(length).toBeLessThanOrEqual(Math.max(8000, (lengths[at] ?? 0) / 2));
    expect((await rowOf('shorter')).call).toMatchObject({ turn: 0, failed: lengths.length - 1, repeated: 0 });
  });

  test('of a prompt of the least length ends the trial, and no prompt is sent twice', async () => {
    const { llm, requests } = modelOf(() => tooLong());
    expect(await attempt('never', 1, llm)).toMatchObject({ state: 'ended', ended: { status: 'rejected' } });
    // Each of the task's three attempts sends its prompt once: this prompt is as short as it can be.
    expect(requests).toHaveLength(3);
    expect((await rowOf('never')).trial?.failureMessage).toContain('the prompt is too long');
  });

  test('of the content of the prompt ends the trial', async () => {
    const { llm } = modelOf(() => new LlmError('flagged', { kind: 'refused', status: 403, refused: 'content' }));
    expect(await attempt('content', 1, llm)).toMatchObject({ state: 'ended', ended: { status: 'rejected' } });
    expect(await rowOf('content')).toMatchObject({ down: null, trial: { failureMessage: 'flagged' } });
  });

  test('of a key of llm.body waits for a person', async () => {
    const error = new LlmError('llm.body.x: correct or remove it', {
      kind: 'refused',
      status: 400,
      refused: 'setting',
    });
    const { llm } = modelOf(() => error);
    expect(await attempt('setting', 3, llm)).toContain('llm.body.x: correct or remove it');
    expect(await rowOf('setting')).toMatchObject({ down: expect.stringContaining('llm.body.x') as string });
    expect((await rowOf('setting')).trial?.status).toBeNull();
  });
});
