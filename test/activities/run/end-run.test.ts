import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import type { ActivityDeps, KillPoint } from '../../../activities/deps.ts';
import { createReconcileActivities } from '../../../activities/reconcile.ts';
import { HostUnreachableError, type Compute } from '../../../infra/compute.ts';
import { bytes, LIMITS } from '../../infra/compute/conformance/support.ts';
import { useAsked } from '../score/support/asked.ts';

const { bench, launched, ended, computeOfBox, directoryOf } = useAsked();

const stop = async (
  trialId: string,
  compute: Partial<Compute>,
  seenSecondsAgo = 1,
  reach: (point: KillPoint) => void = () => undefined,
): Promise<unknown> => {
  const then = sql`now() - make_interval(secs => ${seenSecondsAgo})`;
  await bench.db.execute(sql`update hosts set seen_at = ${then}, applied_at = ${then}`);
  const deps = {
    store: bench.store,
    hosts: { computeOf: () => compute, isOwnHost: () => false },
    reach,
  };
  const { abandon } = createReconcileActivities(deps as unknown as ActivityDeps);
  return new MockActivityEnvironment().run(abandon, { trialId, why: 'cancelled' as const });
};

/** A run on the host that has printed something, and goes on. */
async function running(id: string, runs: string) {
  const { key } = await launched(id, { runs });
  const compute = computeOfBox();
  const { store } = bench;
  await store.run.markLaunched({ ...key, fence: (await store.slot.findLease(key.jobId))?.fence ?? 0 });
  for await (const { type } of compute.follow(key, 0, new AbortController().signal)) if (type === 'output') break;
  return { key, compute, store };
}

test('a trial that is stopped in mid-run keeps its end, time and output, and leaves nothing on its host', async () => {
  const { key, compute, store } = await running('stopped-running', 'echo step 1 loss 2; exec sleep 4891');
  expect(await stop(key.jobId, compute)).toMatchObject({ status: 'aborted' });
  expect(await store.run.findRun(key)).toMatchObject({
    end: { reason: 'killed', treeGone: true },
    logTail: 'step 1 loss 2\n',
  });
  const { rows } = await bench.db.execute(sql`
    select seconds, failure, slot_seconds as spent from trials join researches on researches.id = research_id
    where trials.id = ${key.jobId}`);
  const { seconds } = rows[0] as { seconds: number };
  expect(seconds).toBeGreaterThan(0);
  // Seconds that become known after the outcome are charged to the budget, too.
  expect(rows).toEqual([{ failure: 'stopped-by-operator', seconds, spent: seconds }]);
  expect(existsSync(directoryOf(key))).toBe(false);
  expect(await store.slot.findLease(key.jobId)).toBeUndefined();
});

test('a trial that is stopped in mid-run keeps its end though the worker dies after the kill', async () => {
  const { key, compute, store } = await running('stopped-twice', 'echo up; exec sleep 4894');
  const dies = (point: KillPoint): void => {
    if (point === 'run-killed') throw new Error('died');
  };
  await expect(stop(key.jobId, compute, 1, dies)).rejects.toThrow('died');
  expect(await store.run.findRun(key)).toMatchObject({ end: null });
  expect(await store.slot.findLease(key.jobId)).toBeDefined();
  await stop(key.jobId, compute);
  expect(await store.run.findRun(key)).toMatchObject({ end: { reason: 'killed' }, logTail: 'up\n' });
  expect(await store.slot.findLease(key.jobId)).toBeUndefined();
});

test('a trial that is stopped in mid-run frees its slot though its end cannot be collected', async () => {
  const { key } = await launched('stopped-large', { runs: 'exec sleep 4892' });
  const compute = computeOfBox();
  await bench.store.run.markLaunched({ ...key, fence: (await bench.store.slot.findLease(key.jobId))?.fence ?? 0 });
  expect(await stop(key.jobId, { ...compute, collect: () => new Promise(() => undefined) })).toMatchObject({
    status: 'aborted',
  });
  expect(await bench.store.slot.findLease(key.jobId)).toBeUndefined();
  expect(existsSync(directoryOf(key))).toBe(false);
});

describe('a trial that is stopped after its run has ended on a host of the fleet', () => {
  test('leaves nothing there: neither a program that answers, nor the run directory', async () => {
    const { key, spec } = await ended('stopped-asked');
    const compute = computeOfBox();
    const talk = await compute.converse({ ...spec, limits: LIMITS, command: 'cat' });
    await talk.write(bytes('x'));
    expect(existsSync(directoryOf(key))).toBe(true);
    await stop(key.jobId, compute);
    // The program ends, and its host may already have no trace of it.
    await talk.ended.catch(() => undefined);
    expect(existsSync(directoryOf(key))).toBe(false);
    expect(await bench.store.slot.findLease(key.jobId)).toBeUndefined();
  });

  test('frees its slot once a program that ignores TERM is gone', async () => {
    const { key } = await ended('stopped-slow');
    let isGone = false;
    const kill = async (): Promise<void> => {
      await sleep(6000);
      isGone = true;
    };
    await stop(key.jobId, { ...computeOfBox(), kill });
    expect(isGone).toBe(true);
  });

  const AWAY = { kill: () => Promise.reject(new HostUnreachableError('box', 'closed', { message: 'gone' })) };
  const SILENT = { kill: () => new Promise<void>(() => undefined) };
  /** Expects a run that a probe ends before its slot is lent again. */
  const expectAnOrphan = async (trialId: string): Promise<void> => {
    expect(await bench.store.slot.findLease(trialId)).toBeUndefined();
    expect(await bench.store.run.findOrphans('box')).toContainEqual(expect.objectContaining({ jobId: trialId }));
    const freed = sql`select wanted from slots where id = (select slot_id from runs where trial_id = ${trialId})`;
    expect((await bench.db.execute(freed)).rows).toEqual([{ wanted: false }]);
  };

  test.each([
    ['fails', 1],
    ['fails, and was not seen recently', 90],
  ])('is stopped nevertheless if that host %s', async (_, seen) => {
    const { key } = await ended(`stopped-away-${seen}`);
    expect(await stop(key.jobId, AWAY, seen)).toMatchObject({ status: 'aborted' });
    await expectAnOrphan(key.jobId);
  });

  test('is stopped nevertheless if a program has begun to answer after the kill', async () => {
    const { key } = await ended('stopped-answered');
    const lives = { kill: async () => undefined, remove: () => Promise.reject(new Error('it still runs')) };
    expect(await stop(key.jobId, lives)).toMatchObject({ status: 'aborted' });
    await expectAnOrphan(key.jobId);
  });

  test('is stopped nevertheless if that host does not answer', async () => {
    const { key } = await ended('stopped-silent');
    expect(await stop(key.jobId, SILENT, 90)).toMatchObject({ status: 'aborted' });
    await expectAnOrphan(key.jobId);
  });
});

test('a trial that is stopped during its launch leaves its directory to a probe', async () => {
  const { key } = await ended('stopped-launching');
  await bench.db.execute(sql`
    update runs set launched_at = null, ended_at = null, "end" = null where trial_id = ${key.jobId}`);
  const done: string[] = [];
  const note = (action: string) => async (): Promise<void> => void done.push(action);
  await stop(key.jobId, { kill: note('killed'), remove: note('removed') });
  expect(done).toEqual(['killed']);
  expect(await bench.store.run.findOrphans('box')).toContainEqual(expect.objectContaining({ jobId: key.jobId }));
});
