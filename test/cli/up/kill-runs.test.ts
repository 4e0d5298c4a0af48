import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readLivingRuns } from '../../../cli/up/kill-runs.ts';
import { runs } from '../../../db/schema.ts';
import { insertTrials, useDatabase } from '../../db/support.ts';

const bench = useDatabase();
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'perpetua-kill-'));
  await writeFile(join(home, 'host'), 'h\n');
});
afterAll(() => rm(home, { recursive: true }));

test('runs under way are those that were launched and are known to have ended in no way', async () => {
  await insertTrials(bench.db, 'toy', 4);
  const run = { placement: 0, host: 'h', slotId: 's', fence: 3 };
  const launchedAt = new Date();
  await bench.db.insert(runs).values([
    { ...run, trialId: 'toy/1', launchedAt },
    { ...run, trialId: 'toy/2' },
    { ...run, trialId: 'toy/3', launchedAt, end: { reason: 'exit' }, endedAt: launchedAt },
    // Killed, or lost with its machine: how it ended was never stored.
    { ...run, trialId: 'toy/4', launchedAt, endedAt: launchedAt },
  ]);
  expect((await readLivingRuns(bench.url, home)).runs).toEqual([{ trialId: 'toy/1', placement: 0, fence: 3 }]);
});

test('runs of other hosts are counted and are nobody here to kill', async () => {
  await insertTrials(bench.db, 'fleet', 2);
  const run = { placement: 0, slotId: 's', fence: 3, launchedAt: new Date() };
  await bench.db.insert(runs).values([
    { ...run, trialId: 'fleet/1', host: 'h' },
    { ...run, trialId: 'fleet/2', host: 'gpu-1' },
  ]);
  const of = async (where: string) => {
    const { runs: own, elsewhere } = await readLivingRuns(bench.url, where);
    return { own: own.map(({ trialId }) => trialId).filter((id) => id.startsWith('fleet')), elsewhere };
  };
  expect(await of(home)).toEqual({ own: ['fleet/1'], elsewhere: 1 });
  // Where no worker ever started there is no host yet.
  expect((await of(join(home, 'other'))).own).toEqual([]);
});
