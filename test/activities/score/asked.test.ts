import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { HostUnreachableError } from '../../../infra/compute.ts';
import { nothing, useAsked, ALONE, APART } from './support/asked.ts';

const { bench, ended, talksThat } = useAsked();

test('a run whose host goes away while it answers is given up, and an orphan before its slot is lent', async () => {
  const { key, lease, worker, kept } = await ended('asked-away');
  const gone = () => Promise.reject(new HostUnreachableError('box', 'timeout', { message: 'no answer in 20 s' }));
  const away = worker(null, {
    hosts: { computeOf: () => ({ converse: gone }), secondsSinceAnswer: () => 1e6, lostAfter: () => 0 },
  });
  await expect(away.score()).rejects.toMatchObject({ type: 'HostGone', nonRetryable: true });
  expect(await kept()).toMatchObject(nothing);
  expect(await bench.store.slot.findLease(key.jobId)).toBeUndefined();
  expect(await bench.store.run.findOrphans('box')).toMatchObject([{ ...key, fence: lease.fence }]);
  const freed = await bench.db.execute(sql`select wanted from slots where id = ${lease.id}`);
  expect(freed.rows).toEqual([{ wanted: false }]);
});

test('the cost of answers is that of the last ones scored, if a worker dies before its verdict', async () => {
  const counts = 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done';
  const { key, worker, kept } = await ended('dies', { answer: `read -r n; ${counts}; echo 2` });
  const cost = async (): Promise<number> => {
    const end = (await bench.store.run.findRun(key))?.end as { answerCpuSeconds?: number } | null | undefined;
    return end?.answerCpuSeconds ?? 0;
  };
  const reach = (point: string): void => {
    if (point === 'scored') throw new Error('died');
  };
  await expect(worker(null, { reach }).score()).rejects.toThrow('died');
  expect(await kept()).toEqual({ ...nothing, shortage: null });
  expect(await cost()).toBeGreaterThan(0);
  await bench.db.execute(
    sql`update runs set "end" = "end" || '{"answerCpuSeconds": 99}'::jsonb where trial_id = ${key.jobId}`,
  );
  await worker(null).score();
  expect(await kept()).toEqual({ status: 'completed', failure: null, shortage: null });
  expect(await cost()).toBeGreaterThan(0);
  expect(await cost()).toBeLessThan(99);
});

test.each([
  [
    'is trusted if both its run and the program that answered were in a sandbox',
    'both',
    { run: APART, talk: APART, trusted: true },
  ],
  ['is not trusted if only its run was', 'run-only', { run: APART, talk: ALONE, trusted: false }],
  ['is not trusted if only the program that answered was', 'talk-only', { run: ALONE, talk: APART, trusted: false }],
])('a score %s', async (_, id, { run, talk, trusted }) => {
  const { key, worker } = await ended(`trusted-${id}`, { answer: 'read -r n; echo 2', held: run });
  await worker(
    null,
    talksThat((end) => end, talk),
  ).score();
  expect(await bench.store.trial.loadTrial(key.jobId)).toMatchObject({ status: 'completed', value: 2, trusted });
});
