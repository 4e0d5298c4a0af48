import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eq } from 'drizzle-orm';
import { artefacts, blobs, calls, points, researches, runs, slots, taskVersions, trials } from '../../db/schema.ts';
import { insertEnded, abortWish } from '../support/database/insert-ended.ts';
import { hashOf, insertResearch, insertStory, TASK } from './support/lineage.ts';
import { sharedServer, type Lineage, type Server } from './support/database.ts';
import { runOn } from './support/cli.ts';

/** Judgement of a rule on an audited run. */
const JUDGED = {
  rule: 'matched-time',
  abort: true,
  audited: true,
  auditProbability: 1,
  share: 0.35,
  forecast: 1.08,
  interval: { low: 1.06, high: 1.1 },
  reason: 'at 35 % it is worse than all of 20 good runs',
  incumbent: 1.02,
  strictness: 1,
  elapsed: 3,
} as const;

let server: Server;
let story: Lineage;
let folder: string;

beforeAll(async () => {
  server = sharedServer();
  story = await server.open();
  await insertStory(story.db, 'toy');
  await story.db.insert(calls).values({
    trialId: 'toy/4',
    turn: 0,
    model: 'm',
    request: { messages: [{ role: 'user', content: 'what next?' }] },
    answer: 'half the rate\x1b[31m',
    tokensIn: 100,
    tokensOut: 20,
    usd: 0.25,
    latencySeconds: 2,
  });
  await story.db.insert(runs).values([
    {
      jobId: 'toy/5',
      placement: 0,
      host: 'h',
      slotId: 'local/0',
      fence: 1,
      logTail: 'step 1\nboom\x1b[31m\n',
      abort: JUDGED,
    },
    { jobId: 'toy/6', placement: 0, host: 'h', slotId: 'local/0', fence: 2, launchedAt: new Date() },
  ]);
  await story.db.insert(points).values(
    [4, 3, Number.NaN].map((value, seq) => ({
      jobId: 'toy/5',
      placement: 0,
      seq,
      step: seq * 10,
      elapsed: seq,
      value,
    })),
  );
  folder = await mkdtemp(join(tmpdir(), 'perpetua-cli-'));
});

afterAll(async () => {
  await story.close();
  await rm(folder, { recursive: true, force: true });
});

/** Stores the results of trial 4: a curve, an output, a call, an artefact, and an artefact without its content. */
async function insertKept(db: Lineage['db']): Promise<void> {
  const [trialId, placement] = ['toy/4', 0];
  const hash = hashOf('[1]');
  await db.insert(blobs).values({ hash, content: Buffer.from('[1]') });
  await db
    .insert(runs)
    .values({ jobId: trialId, placement, host: 'h', slotId: 'local/0', fence: 1, logTail: 'step 10\n' });
  const left = { jobId: trialId, placement, size: 3 };
  await db.insert(artefacts).values([
    { ...left, path: 'out/points.json', blobHash: hash },
    { ...left, path: 'model.bin', blobHash: hashOf('gone') },
  ]);
  await db.insert(points).values([
    { jobId: trialId, placement, seq: 0, step: 10, elapsed: 1, value: 2.5, share: 0.5 },
    { jobId: trialId, placement, seq: 1, step: 20, elapsed: 2, value: Number.NaN },
  ]);
  await db.insert(calls).values({ trialId, turn: 0, model: 'm', request: { messages: [] }, answer: 'half the rate' });
}

describe('show', () => {
  it('shows a failure with its label, its curve and the end of its output, without escape sequences', async () => {
    const { code, stdout } = await runOn(story.url, ['show', '5']);
    expect(code).toBe(0);
    expect(stdout).toContain('toy/5 · search · crashed');
    expect(stdout).toContain('exit-code: expected exit code 0, got 1');
    expect(stdout).toContain('train loss, step 0 to 10, last 3.000');
    expect(stdout).toContain('1 of 3 points are not finite');
    expect(stdout).toContain(
      'went on as an audit; would have been stopped at 35 % by matched-time, forecast 1.08 ± 0.02 against 1.02:',
    );
    expect(stdout).toMatch(/forecast of .*: ● 1\.080 ├┤ its 95 % interval \(no decision uses it\), ┃ 1\.020 to beat/);
    expect(stdout).toContain('boom');
    expect(stdout).not.toContain('\x1b');
  });

  it('shows the reason of an early stop, and no failure', async () => {
    await insertResearch(story.db, 'stopped');
    const failure = { failure: 'cannot-win', failureMessage: 'stopped at 50 %' } as const;
    const ended = { status: 'aborted', value: null, ...failure, abort: abortWish(false) } as const;
    await insertEnded(story.db, ['stopped', 1], ended);
    const { stdout } = await runOn(story.url, ['show', 'stopped/1']);
    expect(stdout).toMatch(/early abort +stopped at 50 % by matched-time/);
    expect(stdout).not.toMatch(/^ *failure/m);
  });

  it('shows prompt and answer only when they are asked for', async () => {
    const plain = (await runOn(story.url, ['show', 'toy/4'])).stdout;
    expect((await runOn(story.url, ['show', 'toy', '4'])).stdout).toBe(plain);
    expect((await runOn(story.url, ['show', 'toy/1', '--answer'])).stdout).toContain('\nno model was called\n');
    const asked = (await runOn(story.url, ['show', 'toy/4', '--prompt', '--answer'])).stdout;
    expect(plain).not.toContain('half the rate');
    expect(asked).toContain('[user]\nwhat next?');
    expect(asked).toContain('half the rate');
    expect(asked).not.toContain('\x1b');
  });

  it('writes all files of a trial into a new folder, and overwrites nothing', async () => {
    const kept = await server.open();
    await insertStory(kept.db, 'toy');
    await insertKept(kept.db);
    const out = join(folder, 'trial');
    const { code, stderr } = await runOn(kept.url, ['show', 'toy/4', '--out', out, '--json']);
    expect(code).toBe(0);
    expect(stderr).toContain('lacks the contents of model.bin, which perpetua clean has removed');
    expect((await readdir(out, { recursive: true })).sort()).toEqual([
      'artefacts',
      'artefacts/out',
      'artefacts/out/points.json',
      'calls',
      'calls/0-answer.txt',
      'calls/0-prompt.txt',
      'curve.csv',
      'files',
      'files/train.mjs',
      'log.txt',
      'trial.json',
    ]);
    const text = (path: string) => readFile(join(out, path), 'utf8');
    expect(await text('artefacts/out/points.json')).toBe('[1]');
    expect(await text('files/train.mjs')).toBe('const LR = 0.05;\n');
    expect(await text('calls/0-answer.txt')).toBe('half the rate');
    expect(await text('curve.csv')).toBe('placement,step,elapsed_seconds,value,share\n0,10,1,2.5,0.5\n0,20,2,nan,\n');
    expect(JSON.parse(await text('trial.json'))).toMatchObject({ trialId: 'toy/4', value: 1.5 });
    const again = await runOn(kept.url, ['show', 'toy/4', '--out', out]);
    expect(again).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('to be new or empty') as string,
    });
    await kept.close();
  });

  it('names the holders of slots, and since when, for a trial that waits for one', async () => {
    const other = await server.open();
    const { db, url } = other;
    await insertStory(db, 'toy');
    const leasedAt = new Date(Date.now() - 7_200_000);
    const slot = { id: 'local/0', pool: 'local', host: 'h', index: 0, fence: 1 };
    await db.insert(slots).values({ ...slot, state: 'leased', jobId: 'other/9', leasedAt });
    expect((await runOn(url, ['show', 'toy/6'])).stdout).toMatch(
      /waits +for a slot of local, for [^;]+; 1 of 1 slot is taken: other\/9 for 2 h\n/,
    );
    const held = { holders: [{ trial: 'other/9', seconds: expect.closeTo(7200, -3) as number }], taken: 1 };
    const json = async (n: number) => (await runOn(url, ['show', `toy/${n}`, '--json'])).json()[0];
    expect(await json(6)).toMatchObject({ queue: held, waitsFor: null });
    expect(await json(5)).toMatchObject({ queue: null, waitsFor: null });
    await db.update(slots).set({ jobId: 'toy/6' });
    await db.update(trials).set({ waitsFor: 'room on h: disk: 0 MiB free' }).where(eq(trials.id, 'toy/6'));
    expect((await runOn(url, ['show', 'toy/6'])).stdout).toMatch(/waits +for room on h: disk: 0 MiB free\n/);
    await other.close();
  });

  it('says that a trial without a proposal waits for the model endpoint, and why', async () => {
    const other = await server.open();
    const { db, url } = other;
    await insertStory(db, 'toy');
    await db.update(trials).set({ readyAt: null, hypothesis: null, proposer: 'llm' }).where(eq(trials.id, 'toy/6'));
    const waits = async () => /waits +(.*)\n/.exec((await runOn(url, ['show', 'toy/6'])).stdout)?.[1];
    expect(await waits()).toBeUndefined();
    const call = { trialId: 'toy/6', turn: 0, model: 'm', request: {}, error: 'cannot reach it: ECONNREFUSED' };
    await db.insert(calls).values(call);
    expect(await waits()).toBe('for the model endpoint: cannot reach it: ECONNREFUSED');
    // During another call, the row of the call has no error of the previous one.
    await db.update(calls).set({ error: null });
    await db.update(researches).set({ endpointDown: 'model endpoint: 503 from it' });
    expect(await waits()).toBe('for the model endpoint: 503 from it');
    const [shown] = (await runOn(url, ['show', 'toy/6', '--json'])).json();
    expect(shown).toMatchObject({ queue: null, waitsFor: 'the model endpoint: 503 from it' });
    expect((await runOn(url, ['show', 'toy/4'])).stdout).not.toContain('endpoint');
    await other.close();
  });

  it('keeps the end of a long line of output, which has the error', async () => {
    const other = await server.open();
    await insertStory(other.db, 'toy');
    const logTail = `{"path": "${'x'.repeat(200)}"} ValueError: shapes differ\n`;
    await other.db
      .insert(runs)
      .values({ jobId: 'toy/5', placement: 0, host: 'h', slotId: 'local/0', fence: 1, logTail });
    const { stdout } = await runOn(other.url, ['show', '5']);
    expect(stdout).toMatch(/\n {2}\{"path": "x+…x+"\} ValueError: shapes differ\n/);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
    await other.close();
  });

  it('names a value by the metric in which it was measured, whatever the metric of the research now', async () => {
    const other = await server.open();
    const { db, url } = other;
    await insertStory(db, 'toy');
    const [version] = await db.select().from(taskVersions);
    const metric = { ...TASK.metric, name: 'accuracy', direction: 'maximize' as const, unit: '%' };
    const task = { ...TASK, metric };
    await db.insert(taskVersions).values({ ...version!, hash: 'task-2', task, metricKey: 'm2' });
    await db.update(researches).set({ taskHash: 'task-2' });
    await db.update(trials).set({ taskHash: 'task-2' }).where(eq(trials.id, 'toy/3'));
    const shown = async (trial: string) => (await runOn(url, ['show', trial])).stdout;
    expect(await shown('toy/4')).toMatch(/loss +1\.500 bits \(lower is better\)/);
    expect(await shown('toy/4')).not.toContain('accuracy');
    expect(await shown('toy/3')).toMatch(/accuracy +2\.400 ?% \(higher is better\)/);
    const [json] = (await runOn(url, ['show', 'toy/4', '--json'])).json();
    expect(json).toMatchObject({ value: 1.5, metric: { name: 'loss', direction: 'minimize', unit: 'bits' } });
    await other.close();
  });

  it('shows the parts of a reward, or the reason why there is none', async () => {
    const other = await server.open();
    const { db, url } = other;
    await insertStory(db, 'toy');
    expect((await runOn(url, ['show', 'toy/4'])).stdout).not.toContain('reward');
    const rewarded = {
      reward: 0.7,
      rewardParts: { value: 1.5, baseline: 2.2, gain: 0.7 },
      rewardReason: 'a gain\x1b[31m',
    };
    await db.update(trials).set(rewarded).where(eq(trials.id, 'toy/4'));
    const none = { reward: null, rewardParts: {}, rewardReason: 'lost (machine-lost)' };
    await db.update(trials).set(none).where(eq(trials.id, 'toy/5'));
    const shown = async (trial: string) => (await runOn(url, ['show', trial])).stdout;
    expect(await shown('toy/4')).toMatch(/reward +0\.7000: a gain · gain 0\.7000 · value 1\.500 · baseline 2\.200\n/);
    expect(await shown('toy/5')).toMatch(/reward +none: lost \(machine-lost\)\n/);
    expect((await runOn(url, ['show', 'toy/4', '--json'])).json()).toMatchObject([rewarded]);
    expect((await runOn(url, ['log', '--json'])).json().slice(3)).toMatchObject([{ reward: 0.7 }, { reward: null }]);
    await other.close();
  });

  it('has all values in JSON, also of a running trial', async () => {
    const [ended] = (await runOn(story.url, ['show', 'toy/5', '--json'])).json() as Record<string, unknown>[];
    expect(ended).toMatchObject({
      trialId: 'toy/5',
      status: 'crashed',
      points: [{ value: 4 }, { value: 3 }, { value: 'nan' }],
    });
    const [open] = (await runOn(story.url, ['show', 'toy/6', '--json'])).json() as Record<string, unknown>[];
    expect(open).toMatchObject({ trialId: 'toy/6', status: null, verdict: 'none', calls: [] });
  });
});

describe('diff', () => {
  it('is the change of a trial against its parent, and applies', async () => {
    const { code, stdout } = await runOn(story.url, ['diff', 'toy/4']);
    expect(code).toBe(0);
    expect(stdout).toBe('--- a/train.mjs\n+++ b/train.mjs\n@@ -1,1 +1,1 @@\n-const LR = 0.1;\n+const LR = 0.05;\n');
    await writeFile(join(folder, 'train.mjs'), 'const LR = 0.1;\n');
    execFileSync('git', ['apply', '-'], { cwd: folder, input: stdout });
    expect(await readFile(join(folder, 'train.mjs'), 'utf8')).toBe('const LR = 0.05;\n');
  });

  it('says that a run of the unmodified workspace has no change', async () => {
    const { code, stdout } = await runOn(story.url, ['diff', 'toy/1']);
    expect(code).toBe(0);
    expect(stdout).toBe('toy/1 runs the unmodified workspace, so it changed nothing\n');
  });

  it('is refused for a trial without a candidate', async () => {
    const { code, stderr } = await runOn(story.url, ['diff', 'toy/6']);
    expect(code).toBe(2);
    expect(stderr).toContain('toy/6 has no candidate yet');
  });
});
