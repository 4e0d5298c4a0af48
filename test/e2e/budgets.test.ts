import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { byModel } from '../support/e2e/cases.ts';
import {
  expectReleased,
  isPassOpen,
  releaseOneRun,
  release,
  slowTask,
  trialsOf,
  untilLaunched,
  untilStopped,
} from '../support/e2e/slow-task.ts';
import { expectNoProcesses, expectStrictVerdicts } from '../support/database/ledger.ts';
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { steering } from '../support/e2e/steer.ts';
import { editOf } from './misbehaviour/bad-models/cases.ts';
import { DIALECTS, dialectTests } from './shared/dialects.ts';

/** The usage of each answer: 100 tokens, at these prices 0.2 dollars. */
const USAGE = { prompt_tokens: 60, completion_tokens: 40 };
const PRICE = { input: 2000, output: 2000 };
/** A pause that is longer than the rest of the hours. */
const PAUSE_MS = 6000;
const HOURS = 5 / 3600;

let stack: TestStack;
let endpoint: ScriptedEndpoint;
const { begin, handleOf, rowOf, statusOf, untilPhase } = steering(() => stack);

/** Gives another value each time, so that each candidate is run. */
const answer = (nth: number) =>
  ({ kind: 'answer', text: editOf('knobs.env', 'X=1.5', `X=${nth + 2}`), usage: USAGE }) as const;
/** Gives two values in turn, so that all but two candidates are copies. */
const answerOfTwo = (nth: number) => answer(nth % 2);
const requestsOf = (id: string): number => endpoint.requests.filter(({ body }) => body.model === id).length;

/** Starts a research whose proposals come from the model of its name, one after the other. */
async function beginAsking(id: string, budget: Record<string, unknown>, held = false): Promise<void> {
  const task = await slowTask(stack, id, {
    seconds: 0.1,
    held,
    task: { name: id, llm: { model: id }, search: { parent: 'original', proposer: 'llm' } },
  });
  await stack.startResearch(id, { task, window: 1, budget });
}

/** Expects each trial to have run to its end, and no leftovers. */
async function expectFinished(id: string): Promise<void> {
  const trials = await trialsOf(stack, id);
  expect(trials.map(({ n, status, runs }) => ({ n, status, runs }))).toEqual(
    trials.map((_, index) => ({ n: index + 1, status: 'completed', runs: 1 })),
  );
  expect((await rowOf(id)).last_n).toBe(trials.length);
  await expectStrictVerdicts(stack, id);
  await expectReleased(stack, id);
}

beforeAll(async () => {
  stack = await startTestStack();
  endpoint = await startScriptedEndpoint({
    script: byModel({ tokens: answer, usd: answer, raised: answer, copies: answerOfTwo, ...DIALECTS }),
  });
  const env = {
    OPENAI_BASE_URL: endpoint.url,
    OPENAI_API_KEY: 'test',
    PERPETUA_PRICES: JSON.stringify({ usd: PRICE }),
  };
  await stack.startWorker({ slots: 5, env });
  await beginAsking('tokens', { tokens: 250 });
  await beginAsking('raised', { tokens: 150, whenSpent: 'wait' });
});
afterAll(async () => {
  await stack.stop();
  await endpoint.close();
});

describe('a research', () => {
  test('stops when its hours are spent, without those of a pause', async () => {
    const begun = Date.now();
    // Few runs fit the hours: a run costs more CPU seconds than it lasts.
    const handle = await begin('hours', {}, { held: true, seconds: 1.2 });
    await untilLaunched(stack, 'hours');
    await handle.signal('pause');
    await untilPhase('hours', 'paused');
    const pausedAt = Date.now();
    const { active_seconds: before } = await rowOf('hours');
    await sleep(PAUSE_MS);
    expect((await rowOf('hours')).active_seconds).toBe(before);
    const paused = Date.now() - pausedAt;
    const hours = before / 3600 + HOURS;
    await handle.executeUpdate('setBudget', { args: [{ hours }] });
    await handle.signal('resume');
    release(stack, 'hours');
    await untilStopped(stack, 'hours');
    const { reason, active_seconds } = await rowOf('hours');
    expect(reason).toMatch(/^budget\.hours is spent: [\d.]+ of [\d.]+$/);
    expect(active_seconds / 3600).toBeGreaterThanOrEqual(hours);
    // There was no more time than this, however slow the machine is.
    expect(active_seconds).toBeLessThanOrEqual((Date.now() - begun - paused) / 1000);
    await expectFinished('hours');
  });

  test('stops when its tokens are spent', async () => {
    await untilStopped(stack, 'tokens');
    expect(await rowOf('tokens')).toMatchObject({ reason: 'budget.tokens is spent: 300 of 250', last_n: 4 });
    expect(requestsOf('tokens')).toBe(3);
    await expectFinished('tokens');
  });

  test('lets what runs go on when its money is spent, and starts nothing beside it', async () => {
    // The baseline and the first proposal may end; the second one spends the rest, and its run is held.
    releaseOneRun(stack, 'usd');
    await beginAsking('usd', { usd: 0.25 }, true);
    await expect.poll(() => isPassOpen(stack, 'usd'), { timeout: 240_000 }).toBe(false);
    releaseOneRun(stack, 'usd');
    await stack.until(
      'the third trial to run',
      `select count(*) = 1 as done from runs where trial_id = 'usd/3' and launched_at is not null`,
    );
    await handleOf('usd').executeUpdate('setWindow', { args: [{ window: 3 }] });
    await expect
      .poll(() => statusOf('usd'))
      .toMatchObject({ phase: 'running', running: [3], window: 3, spent: 'budget.usd is spent: 0.4 of 0.25' });
    release(stack, 'usd');
    await untilStopped(stack, 'usd');
    expect(await rowOf('usd')).toMatchObject({ reason: 'budget.usd is spent: 0.4 of 0.25', last_n: 3 });
    expect(requestsOf('usd')).toBe(2);
    await expectFinished('usd');
  });

  test('whose budget waits when it is spent starts nothing until it is raised', async () => {
    await untilPhase('raised', 'waiting');
    expect(await rowOf('raised')).toMatchObject({ reason: 'budget.tokens is spent: 200 of 150', last_n: 3 });
    expect(requestsOf('raised')).toBe(2);
    await handleOf('raised').executeUpdate('setBudget', { args: [{ tokens: 350, whenSpent: 'stop' }] });
    await untilStopped(stack, 'raised');
    expect(await rowOf('raised')).toMatchObject({ reason: 'budget.tokens is spent: 400 of 350', last_n: 5 });
    expect(requestsOf('raised')).toBe(4);
    await expectFinished('raised');
  });

  test('stops once its runs have had their seconds on slots', async () => {
    await begin('slot-seconds', { window: 1, budget: { slotSeconds: 2 } }, { seconds: 0.8 });
    await untilStopped(stack, 'slot-seconds');
    const { reason } = await rowOf('slot-seconds');
    expect(reason).toMatch(/^budget\.slotSeconds is spent: [\d.]+ of 2$/);
    const trials = await trialsOf(stack, 'slot-seconds');
    const seconds = await stack.query<{ seconds: number }>(
      `select seconds from trials where research_id = 'slot-seconds' order by n`,
    );
    const spent = seconds.reduce((sum, row) => sum + row.seconds, 0);
    expect(reason).toContain(`: ${Math.round(spent * 1000) / 1000} of 2`);
    expect(spent - (seconds.at(-1)?.seconds ?? 0)).toBeLessThan(2);
    expect(trials.map(({ status }) => status)).toEqual(trials.map(() => 'completed'));
  });

  test('whose model knows two edits only ends with its proposals, and copies take none of its trials', async () => {
    const task = await slowTask(stack, 'copies', {
      seconds: 0.1,
      task: { name: 'copies', llm: { model: 'copies' }, search: { parent: 'original', proposer: 'llm' } },
    });
    // A large window, so that copies slow it down little.
    await stack.startResearch('copies', { task, window: 14, budget: { trials: 10, proposals: 14 } });
    await untilStopped(stack, 'copies');
    expect(await rowOf('copies')).toMatchObject({ reason: 'budget.proposals is spent: 14 of 14' });
    const trials = (await trialsOf(stack, 'copies')).filter(({ kind }) => kind === 'search');
    const ran = trials.filter(({ status }) => status === 'completed');
    expect(trials).toHaveLength(14);
    // A second copy may have begun before the first one was seen.
    expect(ran.length).toBeGreaterThanOrEqual(2);
    expect(ran.length).toBeLessThan(10);
    expect(trials.filter(({ status }) => status === 'cached')).toHaveLength(14 - ran.length);
    const [counted] = await stack.query(`select admitted, refunded from researches where id = 'copies'`);
    expect(counted).toMatchObject({ admitted: { search: 14 }, refunded: { search: 14 - ran.length } });
  });

  // This stack has an endpoint.
  dialectTests(() => ({ stack, requests: endpoint.requests }));

  test('leaves nothing running', () => expectNoProcesses(stack.home));
});
