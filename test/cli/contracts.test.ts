import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eq } from 'drizzle-orm';
import { alerts, researches, trials } from '../../db/schema.ts';
import { createStore } from '../../db/store.ts';
import { BASELINE, WINNER, hashOf, insertResearch, insertStory, TASK, trialRow } from './support/lineage.ts';
import { sharedServer, type Lineage, type Server } from './support/database.ts';
import { runOn } from './support/cli.ts';
import { BEST, BUDGET, FORECAST, RATES, TRIALS } from './support/status-parts.ts';

let server: Server;
let story: Lineage;
let folder: string;

beforeAll(async () => {
  server = sharedServer();
  story = await server.open();
  await insertStory(story.db, 'toy');
  const store = createStore(story.db);
  const call = { trialId: 'toy/4', turn: 0 };
  const request = { messages: [{ role: 'user', content: 'what next?' }] };
  const mark = (await store.call.beginCall({ ...call, model: 'm', request, workflowRun: 'run', attempt: 1 })) ?? '';
  await store.call.saveAnswer({
    ...call,
    mark,
    answer: 'half the rate\x1b[31m',
    outcome: null,
    tokensIn: 100,
    tokensOut: 20,
    usd: 0.25,
    latencySeconds: 2,
  });
  const { counts } = TASK.budget;
  await story.db
    .update(researches)
    .set({ budget: { trials: 60, hours: 8, usd: 5, counts, whenSpent: 'stop' }, activeSeconds: 5400 });
  // As old as the research: the forecast counts from the first proposal on.
  await story.db.update(trials).set({ createdAt: new Date('2026-11-01T12:00:00Z') });
  await story.db.insert(alerts).values([
    { researchId: 'toy', message: 'signal puase ignored', at: new Date('2020-01-01T12:00:00Z') },
    { researchId: 'toy', message: 'signal stpo ignored', at: new Date('2020-01-02T12:00:00Z') },
    { researchId: 'other', message: 'not of toy' },
  ]);
  folder = await mkdtemp(join(tmpdir(), 'perpetua-cli-'));
});

afterAll(async () => {
  await story.close();
  await rm(folder, { recursive: true, force: true });
});

const NO_STREAKS = { losingStreak: null, failedBaseline: null };
const QUIET = { contention: null, earlyAbort: null, learning: null, arms: [], attention: [], ...NO_STREAKS };

describe('status --json', () => {
  it('is exactly the contract', async () => {
    const { code, json } = await runOn(story.url, ['status', '--json']);
    expect(code).toBe(0);
    expect(json()).toEqual([
      {
        workflowId: 'toy',
        task: 'toy',
        phase: 'running',
        reason: null,
        proposer: 'random',
        overrides: {},
        settingsHash: null,
        metric: { name: 'loss', direction: 'minimize', optimum: null },
        baseline: { value: expect.closeTo(2.2, 10), sd: expect.closeTo(0.2, 10), n: 3, trusted: true },
        best: BEST,
        compute: { times: 1, more: 0, of: 'wall' },
        lead: null,
        trials: TRIALS,
        verdicts: { keep: 1, absorbed: 0, discard: 1, confirm: 0, none: 3 },
        window: 2,
        queue: { pool: 'local', trials: 1, seconds: expect.any(Number), slots: 0, taken: 0, holders: [], away: [] },
        wait: null,
        spend: { tokens: 120, usd: 0.25, slotSeconds: 21 },
        budget: BUDGET,
        rates: RATES,
        ...QUIET,
        alerts: [
          { at: '2020-01-02T12:00:00.000Z', message: 'signal stpo ignored' },
          { at: '2020-01-01T12:00:00.000Z', message: 'signal puase ignored' },
        ],
        failing: null,
        temporalError: expect.stringContaining('Cannot reach Temporal at 127.0.0.1:1'),
        forecast: FORECAST,
      },
    ]);
  });

  it('has nulls, not guesses, before anything is measured', async () => {
    const young = await server.open();
    await insertResearch(young.db, 'young', { phase: 'waiting', reason: 'the model endpoint is down' });
    const [status] = (await runOn(young.url, ['status', '--json'])).json() as Record<string, unknown>[];
    await young.close();
    expect(status).toMatchObject({
      phase: 'waiting',
      reason: 'the model endpoint is down',
      baseline: null,
      best: null,
      window: null,
    });
    expect(status).toMatchObject({
      trials: { started: 0, ended: 0, running: 0 },
      spend: { tokens: 0, usd: 0, slotSeconds: 0 },
    });
  });
});

describe('status for people', () => {
  it('shows best, baseline and gain, and notes that Temporal does not answer', async () => {
    const { code, stdout } = await runOn(story.url, ['status']);
    expect(code).toBe(0);
    expect(stdout).toContain('toy · task toy · running');
    expect(stdout).toMatch(/best +1\.50 bits {2}toy\/4 · gain \+0\.70 = \+3\.5 sd of one run/);
    expect(stdout).toMatch(/baseline +2\.20 bits {2}sd of one run 0\.2000 \(3 runs\)/);
    expect(stdout).toContain(
      'note: Temporal cannot be read, so failing work is not shown: Cannot reach Temporal at 127.0.0.1:1',
    );
    expect(stdout).toMatch(
      /budget +3 of 60 trials used · 3 of 290 proposals used · 1\.5 of 8 hours used · \$0\.25 of \$5\.00 used · then/,
    );
    expect(stdout).toMatch(/forecast +the limit of \w+ is reached in .* at the pace of the last 24 h/);
    expect(stdout).not.toContain('signal stpo');
    await story.db.insert(alerts).values({ researchId: 'toy', message: 'signal sotp ignored' });
    expect(stdout).toMatch(/proposer +random/);
    const later = (await runOn(story.url, ['status'])).stdout;
    expect(later).toMatch(/note: \d+ s ago: signal sotp ignored/);
  });
});

describe('log --json', () => {
  it('is one line per ended trial, exactly the contract', async () => {
    const { code, json } = await runOn(story.url, ['log', '--json']);
    const lines = json() as Record<string, unknown>[];
    expect(code).toBe(0);
    expect(lines.map((line) => line.n)).toEqual([1, 2, 3, 4, 5]);
    expect(lines[3]).toEqual({
      trialId: 'toy/4',
      n: 4,
      kind: 'search',
      seed: 1004,
      ofTrial: null,
      candidateId: WINNER,
      parentId: BASELINE,
      proposer: 'random',
      hypothesis: 'LR 0.1 → 0.05',
      status: 'completed',
      failure: null,
      value: 1.5,
      metrics: { loss: 1.5, odd: 'nan' },
      trusted: true,
      verdict: 'keep',
      reason: 'better than 2.2',
      reward: null,
      policyVersion: null,
      update: null,
      slot: 'local/0',
      attempts: 1,
      startedAt: '2026-11-01T12:00:40.000Z',
      endedAt: '2026-11-01T12:00:45.000Z',
      seconds: 5,
    });
    expect(lines[4]).toMatchObject({
      status: 'crashed',
      failure: 'exit-code',
      value: null,
      trusted: null,
      reason: 'expected exit code 0, got 1',
    });
  });

  it('follows trials in the order in which they end, each once, until the research stops', async () => {
    const live = await server.open();
    await insertStory(live.db, 'live');
    const end = { status: 'completed' as const, value: 3, endedAt: new Date() };
    let text = '';
    const following = runOn(live.url, ['log', '--json', '--follow', '--last', '1'], {
      stdout: { write: (more) => (text += more) },
    });
    await vi.waitFor(() => expect(text).not.toBe(''), 60_000);
    await live.db.insert(trials).values(trialRow('live', 7, end));
    await vi.waitFor(() => expect(text).toContain('"n":7'), 60_000);
    await live.db.update(trials).set(end).where(eq(trials.n, 6));
    await live.db.update(researches).set({ phase: 'stopped' });
    const { code } = await following;
    await live.close();
    expect(code).toBe(0);
    expect(text.match(/"n":\d+/g)).toEqual(['"n":5', '"n":7', '"n":6']);
  });
});

describe('best', () => {
  it('is the kept candidate with its whole workspace', async () => {
    const { json } = await runOn(story.url, ['best', '--json']);
    expect(json()).toEqual([
      {
        workflowId: 'toy',
        trialId: 'toy/4',
        candidateId: WINNER,
        value: expect.closeTo(1.5, 10),
        trusted: true,
        hypothesis: 'LR 0.1 → 0.05',
        reason: 'better than 2.2',
        failed: 0,
        basis: 'keep.policy: strict claims on one run',
        gain: { value: expect.closeTo(0.7, 10), low: expect.any(Number), high: expect.any(Number) },
        baseline: { value: expect.closeTo(2.2, 10), sd: expect.closeTo(0.2, 10), n: 3, trusted: true },
        lead: null,
        metric: { name: 'loss', direction: 'minimize', optimum: null },
        meanSeconds: { best: 5, baseline: 5 },
        claimed: true,
        out: null,
        files: ['bin/run.sh', 'train.mjs'],
      },
    ]);
  });

  it('writes the edited file, the others and the executable bit, and overwrites nothing', async () => {
    const out = join(folder, 'winner');
    expect((await runOn(story.url, ['best', 'toy', '--out', out])).code).toBe(0);
    expect(await readFile(join(out, 'train.mjs'), 'utf8')).toBe('const LR = 0.05;\n');
    expect(await readFile(join(out, 'bin/run.sh'), 'utf8')).toContain('node train.mjs');
    expect((await stat(join(out, 'bin/run.sh'))).mode & 0o111).toBe(0o111);
    const again = await runOn(story.url, ['best', '--out', out]);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('to be new or empty');
    await writeFile(join(folder, 'file'), '');
    expect((await runOn(story.url, ['best', '--out', join(folder, 'file')])).code).toBe(2);
  });

  it('fails with the next step before the baseline is measured', async () => {
    const young = await server.open();
    await insertResearch(young.db, 'young');
    const { code, stderr } = await runOn(young.url, ['best']);
    await young.close();
    expect(code).toBe(1);
    expect(stderr).toContain('npx perpetua status young');
  });
});

describe('list --json', () => {
  it('has the researches and the tasks that come with Perpetua', async () => {
    const { code, json } = await runOn(story.url, ['list', '--json']);
    expect(code).toBe(0);
    expect(json()).toEqual([
      {
        researches: [
          {
            workflowId: 'toy',
            task: 'toy',
            phase: 'running',
            reason: null,
            trials: { started: 6, ended: 5, running: 1 },
            best: expect.closeTo(1.5, 10),
            createdAt: '2026-11-01T12:00:00.000Z',
          },
        ],
        tasks: expect.arrayContaining([expect.objectContaining({ name: 'nano-lm' })]),
      },
    ]);
  });
});

describe('a command without the id of a research', () => {
  it('is refused if there are several, with the list of them', async () => {
    const two = await server.open();
    await insertResearch(two.db, 'one');
    await insertResearch(two.db, 'two');
    const unnamed = await runOn(two.url, ['status']);
    const wrong = await runOn(two.url, ['status', hashOf('x').slice(0, 4), '--json']);
    await two.close();
    expect(unnamed).toMatchObject({ code: 2, stdout: '' });
    expect(unnamed.stderr).toContain('one of: one, two');
    expect(wrong.code).toBe(2);
    expect(wrong.json()).toEqual([
      { error: { code: 'refused', message: expect.stringContaining('one of: one, two') } },
    ]);
  });

  it('is refused with the command to start one if there is none', async () => {
    const none = await server.open();
    const { code, stderr } = await runOn(none.url, ['log']);
    await none.close();
    expect(code).toBe(2);
    expect(stderr).toContain('npx perpetua start nano-lm');
  });
});

describe('a database without our tables', () => {
  it('is reported as a database without tables', async () => {
    const { code, stderr } = await runOn(server.url, ['status']);
    expect(code).toBe(1);
    expect(stderr).toContain('no tables of Perpetua yet');
  });
});
