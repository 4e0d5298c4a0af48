import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  byModel,
  readTrialRecords,
  sleepingProcesses,
  setCase,
  slotStates,
  untilAllStopped,
  type TrialRecord,
} from '../../support/e2e/cases.ts';
import { expectNoProcesses } from '../../support/database/ledger.ts';
import {
  type Behaviour,
  answerWith,
  type ScriptedEndpoint,
  type ScriptedRequest,
  startScriptedEndpoint,
} from '../../support/scripted-endpoint.ts';
import { ANSWERS, editOf, HEALING } from './bad-models/cases.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

const SLOTS = 3;

let stack: TestStack;
let endpoint: ScriptedEndpoint;
let locked = true;
let silent = true;
let answers: TrialRecord[];

const inOrder =
  (behaviours: Behaviour[], then: Behaviour) =>
  (nth: number): Behaviour =>
    behaviours[nth - 1] ?? then;

const requestsOf = (model: string): ScriptedRequest[] => endpoint.requests.filter(({ body }) => body.model === model);

/** A baseline that {@link endBaseline} ends; the end of a trial wakes a loop. */
const held = (id: string): string =>
  `while [ ! -e ${join(stack.home, `end-${id}`)} ]; do sleep .1; done; echo 1 > out.txt`;

/** Lets a held baseline end once the endpoint is known to be down: then the loop has nothing else to wait for. */
async function endBaseline(id: string): Promise<void> {
  const known = 'select endpoint_down is not null as done, phase, reason from researches where id = $1';
  await stack.until('the endpoint to be known as down', known, [id]);
  writeFileSync(join(stack.home, `end-${id}`), '');
}

async function start(
  id: string,
  options: { trials: number; attempts?: number; window?: number; baseline?: string; proposer?: 'llm' | 'auto' },
): Promise<void> {
  const { trials, attempts = 1, window = 2, baseline = 'echo 1 > out.txt', proposer = 'llm' } = options;
  const task = await writeTask(join(stack.home, 'tasks', id), {
    task: {
      name: id,
      run: {
        command: 'sh run.sh',
        budget: { seconds: 60 },
        artefacts: [{ path: 'out.txt' }],
        sandbox: 'none',
      },
      llm: { model: id, attempts, deadlineSeconds: id.startsWith('never') ? 8 : 20 },
      search: { parent: 'original', proposer, window },
    },
    files: {
      'workspace/knobs.env': 'CASE=start\nX=1.5\n',
      'workspace/run.sh': `. ./knobs.env\ncase $CASE in start) ${baseline} ;; *) echo 5 > out.txt ;; esac\n`,
    },
  });
  await stack.startResearch(id, { task, budget: { trials, proposals: trials } });
}

beforeAll(async () => {
  stack = await startTestStack();
  const good = answerWith(setCase('good'));
  endpoint = await startScriptedEndpoint({
    script: byModel({
      answers: inOrder(
        ANSWERS.map(({ answer }) => answer),
        good,
      ),
      learns: inOrder([answerWith('Lower it.'), answerWith(editOf('run.sh', 'x', 'y'))], good),
      locked: () => (locked ? { kind: 'status', status: 401, body: { error: { message: 'invalid key' } } } : good),
      'never-yet': () => (silent ? { kind: 'silent' } : good),
      away: () => good,
      ...Object.fromEntries(Object.entries(HEALING).map(([name, behaviours]) => [name, inOrder(behaviours, good)])),
    }),
  });
  await stack.startWorker({ slots: SLOTS, env: { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test' } });
  await start('locked', { trials: 1, baseline: held('locked') });
  await start('answers', { trials: ANSWERS.length, window: 1 });
  await start('learns', { trials: 1, attempts: 3 });
  for (const name of Object.keys(HEALING)) await start(name, { trials: 1 });
  await endBaseline('locked');
  await untilAllStopped(stack, ['answers', 'learns', ...Object.keys(HEALING)], 600);
  answers = (await readTrialRecords(stack, 'answers')).filter(({ kind }) => kind === 'search');
});
afterAll(async () => {
  await stack.stop();
  await endpoint.close();
});

describe('a model that answers', () => {
  test.each(ANSWERS.map((one, index) => ({ ...one, index })))(
    '$name ends its trial with the label $failure, and its words are kept',
    ({ index, failure, message, kept }) => {
      const trial = answers[index];
      expect({ status: trial?.status, failure: trial?.failure }).toEqual({
        status: failure === null ? 'completed' : 'rejected',
        failure,
      });
      if (failure !== null) expect(trial).toMatchObject({ value: null, verdict: 'none', log_tail: null });
      if (message) expect(trial?.failure_message).toMatch(message);
      const words = trial?.answer ?? trial?.error ?? undefined;
      if (typeof kept === 'string') expect(words === kept).toBe(true);
      else expect(words).toMatch(kept);
    },
  );

  test('with no usable edit is asked again with the reason, and may end well', async () => {
    const [trial] = (await readTrialRecords(stack, 'learns')).filter(({ kind }) => kind === 'search');
    expect(trial).toMatchObject({ status: 'completed', hypothesis: 'good' });
    const calls = await stack.query(
      `select turn, left(answer, 9) as answer, repeated from calls where trial_id like 'learns/%' order by turn`,
    );
    expect(calls.map(({ turn, repeated }) => ({ turn, repeated }))).toEqual([
      { turn: 0, repeated: 0 },
      { turn: 1, repeated: 0 },
      { turn: 2, repeated: 0 },
    ]);
    const [, second, third] = requestsOf('learns').map(({ text }) => text);
    expect(second).toContain('no edit was found');
    expect(third).toContain('expected edits of knobs.env only');
  });

  test.each(Object.keys(HEALING))('%s at first costs the research nothing but time', async (id) => {
    const trials = await readTrialRecords(stack, id);
    expect(trials.map(({ kind, status }) => [kind, status]).sort()).toEqual([
      ['baseline', 'completed'],
      ['search', 'completed'],
    ]);
    expect(requestsOf(id)).toHaveLength((HEALING[id]?.length ?? 0) + 1);
    const calls = await stack.query<{ repeated: number; answered: boolean }>(
      `select repeated, answer is not null as answered from calls where trial_id like $1`,
      [`${id}/%`],
    );
    expect(calls).toEqual([{ repeated: 0, answered: true }]);
  });

  test('too many requests is not asked again before the time that it named', () => {
    const [first, second] = requestsOf('rate-limited').map(({ at }) => Date.parse(at));
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(950);
  });

  test('never leaves a connection open', async () => {
    await expect.poll(() => endpoint.connections()).toBeLessThanOrEqual(1);
  });
});

const waiting = `select phase = 'waiting' as done, phase, reason from researches where id = $1`;

describe('a research whose endpoint', () => {
  test('refuses the key waits, says why and what to do, and goes on by itself with another', async () => {
    await stack.until('the research to wait', waiting, ['locked']);
    const [row] = await stack.query(`select reason from researches where id = 'locked'`);
    expect(row?.['reason']).toMatch(
      /^model endpoint: .* answered 401 \(check OPENAI_API_KEY; to change it: npx perpetua down, .*\): invalid key/,
    );
    const status = await stack.client.workflow.getHandle('locked').query<{ phase: string }>('status');
    expect(status.phase).toBe('waiting');
    locked = false;
    await untilAllStopped(stack, ['locked']);
    expect((await readTrialRecords(stack, 'locked')).map(({ status }) => status)).toEqual(['completed', 'completed']);
  });

  test('never answers waits, says so, and goes on by itself when it does', async () => {
    await start('never-yet', { trials: 1, baseline: held('never-yet') });
    await endBaseline('never-yet');
    await stack.until('the research to wait', waiting, ['never-yet']);
    const [row] = await stack.query(`select reason from researches where id = 'never-yet'`);
    expect(row?.['reason']).toMatch(/^model endpoint: .* no complete answer within 8 s \(wait, or raise llm\.deadline/);
    silent = false;
    await untilAllStopped(stack, ['never-yet']);
    expect((await readTrialRecords(stack, 'never-yet')).map(({ status }) => status)).toEqual([
      'completed',
      'completed',
    ]);
    const calls = await stack.query(
      `select repeated, answer is not null as answered from calls where trial_id like 'never-yet/%'`,
    );
    expect(calls).toEqual([{ repeated: 0, answered: true }]);
  });

  test('is gone waits with nothing lost, starts no other proposer, and goes on when it is back', async () => {
    await endpoint.down();
    await start('away', { trials: 2, proposer: 'auto', baseline: held('away') });
    await endBaseline('away');
    await stack.until('the research to wait', waiting, ['away']);
    const [row] = await stack.query(`select reason, proposer from researches where id = 'away'`);
    expect(row).toEqual({ proposer: 'llm', reason: expect.stringMatching(/^model endpoint: cannot reach /) as string });
    const before = await readTrialRecords(stack, 'away');
    // One proposal waits; no second one is started while the endpoint is down.
    expect(before.map(({ kind, status }) => [kind, status])).toEqual([
      ['baseline', 'completed'],
      ['search', null],
    ]);
    await endpoint.up();
    await untilAllStopped(stack, ['away']);
    const after = await readTrialRecords(stack, 'away');
    expect(after.map(({ kind, proposer, status }) => [kind, proposer, status])).toEqual([
      ['baseline', null, 'completed'],
      ['search', 'llm', 'completed'],
      ['search', 'llm', 'cached'],
    ]);
    expect(after[2]?.evaluator_notes).toMatch(/^the same candidate as trial 2, which (gave -4|is running)$/);
    const [up] = await stack.query(`select endpoint_down, reason from researches where id = 'away'`);
    expect(up).toEqual({ endpoint_down: null, reason: 'budget.proposals is spent: 2 of 2' });
  });
});

describe('the research', () => {
  test('goes on after each bad answer, each trial once, and ends with its budget', async () => {
    const n = ANSWERS.length;
    const [research] = await stack.query(`select phase, reason, last_n from researches where id = 'answers'`);
    expect(research).toEqual({ phase: 'stopped', reason: `budget.proposals is spent: ${n} of ${n}`, last_n: n + 1 });
    expect(requestsOf('answers')).toHaveLength(n);
  });

  test('runs nothing that was rejected, and gets every slot back', async () => {
    const ran = await stack.query(
      `select trials.id from trials join runs on runs.trial_id = trials.id where status in ('rejected', 'cached')`,
    );
    expect(ran).toEqual([]);
    expect(await slotStates(stack)).toEqual({ leased: 0, usable: SLOTS });
    await expect.poll(sleepingProcesses).toEqual([]);
    await expectNoProcesses(stack.home);
  });
});
