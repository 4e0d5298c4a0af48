import { existsSync } from 'node:fs';
import { MockActivityEnvironment } from '@temporalio/testing';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createEndJob } from '../../../activities/job.ts';
import { readOutput } from '../../../db/job/job.ts';
import type { Compute } from '../../../infra/compute.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { LIMITS } from '../../infra/compute/conformance/support.ts';
import { useAsked } from '../score/support/asked.ts';

const { bench, computeOfBox, directoryOf } = useAsked();

/** A command on the host that has printed this and goes on. A follower has stored the first bytes of it. */
async function running(name: string, { prints, stored }: { prints: string; stored: number }) {
  const { db, store } = bench;
  const key = { jobId: `command/${name}`, placement: 0 };
  await insertResearch(db, `task of ${name}`);
  await store.job.openJob({
    id: key.jobId,
    kind: 'command',
    taskHash: 'task-1',
    pool: 'box',
    priority: 1,
    spec: { shape: 'to-an-end', command: 'true' },
  });
  const slotId = (await store.slot.offerSlot({ pool: 'box', host: 'box', holder: 'w' })) ?? '';
  const lease = (await store.slot.leaseSlot({ jobId: key.jobId, slotId, holder: 'w' })) ?? expect.unreachable();
  await store.run.beginRun({ ...key, lease });
  const slot = { id: slotId, pool: 'box', index: lease.index, gpu: null };
  const command = `exec 2>/dev/null; printf '${prints}'; trap 'echo saved; exit' TERM; while :; do sleep .05; done`;
  const compute = computeOfBox();
  await compute.launch({
    ...key,
    fence: lease.fence,
    slot,
    stageHash: 's',
    files: [],
    command,
    env: {},
    limits: LIMITS,
    sandbox: 'preferred',
  });
  await store.run.markLaunched({ ...key, fence: lease.fence });
  for await (const { type } of compute.follow(key, 0, new AbortController().signal)) if (type === 'output') break;
  const { follower = 0 } = (await store.run.becomeFollower(key)) ?? {};
  const output = Buffer.from(prints.replaceAll('\\n', '\n')).subarray(0, stored);
  await store.run.saveProgress({ ...key, follower, from: 0, to: stored, reader: null, points: [], output });
  await db.execute(sql`update hosts set seen_at = now(), applied_at = now()`);
  return key;
}

const stop = (jobId: string, compute: Partial<Compute> = {}, run: Partial<ActivityDeps['store']['run']> = {}) => {
  const deps = {
    store: { ...bench.store, run: { ...bench.store.run, ...run } },
    hosts: { computeOf: () => ({ ...computeOfBox(), ...compute }), isOwnHost: () => false },
    reach: () => undefined,
  } as unknown as ActivityDeps;
  return new MockActivityEnvironment().run(createEndJob(deps), { jobId, why: 'cancelled' as const, detail: null });
};

const said = async ({ jobId, placement }: { jobId: string; placement: number }): Promise<string> =>
  Buffer.concat((await readOutput(bench.db, { jobId, placement, from: 0 })).map(({ content }) => content)).toString();

test('the output of a command that nobody follows is stored when it is stopped, to the last line', async () => {
  const key = await running('unfollowed', { prints: 'one\\ntwo\\n', stored: 4 });
  expect(await stop(key.jobId)).toMatchObject({ why: 'cancelled', end: { reason: 'killed' } });
  expect(await said(key)).toBe('one\ntwo\nsaved\n');
  expect(existsSync(directoryOf(key))).toBe(false);
});

test('the output is stored once though the stop dies before the directory is removed, and is repeated', async () => {
  const key = await running('twice', { prints: 'one\\ntwo\\n', stored: 0 });
  const died = (): Promise<never> => Promise.reject(new Error('died'));
  await expect(stop(key.jobId, { collect: died }, { closeRun: died })).rejects.toThrow('died');
  expect(await bench.store.run.findRun(key)).toMatchObject({ end: null });
  expect(existsSync(directoryOf(key))).toBe(true);
  await stop(key.jobId);
  expect(await said(key)).toBe('one\ntwo\nsaved\n');
  expect(existsSync(directoryOf(key))).toBe(false);
});

test('the output is stored once though a living follower stores the next part meanwhile', async () => {
  const key = await running('followed', { prints: 'one\\ntwo\\n', stored: 4 });
  const { saveProgress } = bench.store.run;
  let isFirst = true;
  await stop(
    key.jobId,
    {},
    {
      saveProgress: async (progress) => {
        if (isFirst) await saveProgress({ ...progress, to: 8, output: Buffer.from('two\n') });
        isFirst = false;
        return saveProgress(progress);
      },
    },
  );
  expect(await said(key)).toBe('one\ntwo\nsaved\n');
});
