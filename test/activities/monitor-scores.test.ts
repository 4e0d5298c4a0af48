import { createHmac } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import type { ActivityDeps, KillPoint } from '../../activities/deps.ts';
import { createMonitorActivities, type MonitorInput, type MonitorResult } from '../../activities/monitor.ts';
import { createScoreActivities } from '../../activities/score.ts';
import { createScorePlaces } from '../../activities/score/score-in-monitor.ts';
import { trials } from '../../db/schema.ts';
import { RunGoneError } from '../../infra/compute.ts';
import { withinTime } from '../../infra/within-time.ts';
import { useDatabase } from '../db/support.ts';
import { scriptedHost } from './monitor/support/host.ts';
import { insertKnownRuns, insertLaunched } from './monitor/support/known-runs.ts';

const bench = useDatabase();

/** A worker whose evaluator measures by `evaluate`, and that fails at a point, if any. */
function worker(evaluate: () => number | Promise<number>, failAt?: KillPoint) {
  const seeds: number[] = [];
  let asked = 0;
  const host = scriptedHost();
  host.end();
  const deps = {
    store: bench.store,
    scoring: {
      withinTime,
      evaluator: {
        findCode: async () => null,
        evaluate: async ({ seed }: { seed: number }) => {
          asked += 1;
          seeds.push(seed);
          return { ok: true, evaluation: { metrics: { loss: await evaluate() }, notes: null, seconds: 1 } };
        },
      },
      hmac: (text: string) => createHmac('sha256', 'a secret').update(text).digest('hex'),
    },
    hosts: { computeOf: () => host.compute, isOwnHost: () => true },
    machine: { freeDisk: () => Promise.resolve({ bytes: 2 ** 40, files: null }) },
    reach: (point: KillPoint) => {
      if (point === failAt) throw new Error(`failed at ${point}`);
    },
  } as unknown as ActivityDeps;
  const places = createScorePlaces(1);
  const { monitor } = createMonitorActivities(deps, places);
  const { score } = createScoreActivities(deps);
  return {
    places,
    asked: () => asked,
    seeds,
    follow: (key: MonitorInput): Promise<MonitorResult> => new MockActivityEnvironment().run(monitor, key),
    score: (key: MonitorInput) => new MockActivityEnvironment().run(score, key),
  };
}

async function launched(id: string): Promise<MonitorInput> {
  await insertKnownRuns(bench.db, id, { known: 3 });
  return insertLaunched(bench.db, id, { kind: 'search' });
}

/** All that a score leaves: the trial's row, and the state of the gate. */
async function kept({ jobId }: MonitorInput) {
  const [trial] = await bench.db.select().from(trials).where(eq(trials.id, jobId));
  const research = await bench.store.research.findResearch(trial?.researchId ?? '');
  return {
    status: trial?.status,
    value: trial?.value,
    verdict: trial?.verdict,
    endedAt: trial?.endedAt,
    gate: research?.gate,
  };
}

/** A value that comes once the test gives it. */
function later() {
  let come: (value: number) => void = () => undefined;
  let begun = (): void => undefined;
  const value = new Promise<number>((resolve) => (come = resolve));
  const asked = new Promise<void>((resolve) => (begun = resolve));
  return { come: (number: number) => come(number), asked, evaluate: () => (begun(), value) };
}

test("an evaluator gets its trial's own seed; that of a trial of 0.1 is made from the trial's id", async () => {
  const seeds = [];
  for (const [id, evaluatorSeed] of [
    ['new', 42],
    ['old', null],
  ] as const) {
    const key = await launched(id);
    await bench.db.update(trials).set({ evaluatorSeed }).where(eq(trials.id, key.jobId));
    const scores = worker(() => 3);
    await scores.follow(key);
    seeds.push(...scores.seeds);
  }
  const before = createHmac('sha256', 'a secret').update('old/100').digest().readUInt32BE(0) & 0x7fffffff;
  expect(seeds).toEqual([42, before]);
});

describe('a run that is scored where it was followed', () => {
  test('is scored once if the attempt fails between its stored outcome and its answer', async () => {
    const key = await launched('stored');
    const first = worker(() => 3, 'verdict-stored');
    expect(await first.follow(key)).toEqual({ state: 'ended' });
    const before = await kept(key);
    expect(before).toMatchObject({ status: 'completed', value: 3 });
    const retry = worker(() => 1);
    const answer = await retry.follow(key);
    expect(answer).toMatchObject({ state: 'scored', ended: { n: 100, status: 'completed' } });
    // The queue, which the workflow used meanwhile, gives the same answer.
    expect(answer).toEqual({ state: 'scored', ended: await retry.score(key) });
    expect([first.asked(), retry.asked()]).toEqual([1, 0]);
    expect(await kept(key)).toEqual(before);
  });

  test('is not lost if another attempt stored its outcome meanwhile, and removed it', async () => {
    const key = await launched('removed');
    expect(await worker(() => 3, 'scored').follow(key)).toEqual({ state: 'ended' });
    const other = worker(() => 3);
    const first = worker(async () => {
      await other.score(key);
      throw new RunGoneError('local', { run: key, state: 'absent' });
    });
    await expect(first.score(key)).rejects.toMatchObject({ type: 'Settled', nonRetryable: false });
    const answer = await first.score(key);
    expect(answer).toMatchObject({ n: 100, status: 'completed' });
    expect(answer).toEqual(await other.score(key));
    expect([first.asked(), other.asked()]).toEqual([1, 1]);
  });

  test('is measured again if the attempt fails before its outcome is stored', async () => {
    const key = await launched('unstored');
    const first = worker(() => 3, 'scored');
    expect(await first.follow(key)).toEqual({ state: 'ended' });
    expect((await kept(key)).status).toBeNull();
    const retry = worker(() => 1.5);
    expect(await retry.follow(key)).toMatchObject({ state: 'scored', ended: { status: 'completed' } });
    expect([first.asked(), retry.asked()]).toEqual([1, 1]);
    expect(await kept(key)).toMatchObject({ status: 'completed', value: 1.5 });
  });

  test('keeps the score of the newer attempt if an older one wakes up and measures before it', async () => {
    const key = await launched('asleep');
    const [old, young] = [later(), later()];
    const sleeping = worker(old.evaluate).follow(key);
    await old.asked;
    const scoring = worker(young.evaluate).follow(key);
    await young.asked;
    old.come(0.1);
    expect(await sleeping).toEqual({ state: 'ended' });
    expect((await kept(key)).status).toBeNull();
    young.come(2.5);
    expect(await scoring).toMatchObject({ state: 'scored' });
    expect(await kept(key)).toMatchObject({ status: 'completed', value: 2.5 });
  });

  test('keeps the score of the newer attempt if an older one wakes up and measures after it', async () => {
    const key = await launched('late');
    const old = later();
    const sleeping = worker(old.evaluate).follow(key);
    await old.asked;
    const scored = await worker(() => 2.5).follow(key);
    const before = await kept(key);
    expect(before).toMatchObject({ status: 'completed', value: 2.5 });
    old.come(0.1);
    expect(await sleeping).toEqual(scored);
    expect(await kept(key)).toEqual(before);
  });

  test('is left to the queue if no place is free, and scored there once', async () => {
    const key = await launched('crowded');
    const busy = worker(() => 3);
    const leave = busy.places.enter();
    expect(await busy.follow(key)).toEqual({ state: 'ended' });
    expect(busy.asked()).toBe(0);
    const ended = await busy.score(key);
    leave?.();
    expect(await busy.follow(key)).toEqual({ state: 'scored', ended });
    expect(busy.asked()).toBe(1);
  });
});
