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

test('running runs are those that were launched and have no known end', async () => {
  await insertTrials(bench.db, 'toy', 4);
  const run = { placement: 0, host: 'h', slotId: 's', fence: 3 };
  const launchedAt = new Date();
  await bench.db.insert(runs).values([
    { ...run, jobId: 'toy/1', launchedAt },
    { ...run, jobId: 'toy/2' },
    { ...run, jobId: 'toy/3', launchedAt, end: { reason: 'exit' }, endedAt: launchedAt },
    // This run was killed, or lost with its machine: it has a time of its end, but no stored end.
    { ...run, jobId: 'toy/4', launchedAt, endedAt: launchedAt },
  ]);
  expect((await readLivingRuns(bench.url, home)).runs).toEqual([{ jobId: 'toy/1', placement: 0, fence: 3 }]);
});

test('runs of other hosts are counted, not killed', async () => {
  await insertTrials(bench.db, 'fleet', 2);
  const run = { placement: 0, slotId: 's', fence: 3, launchedAt: new Date() };
  await bench.db.insert(runs).values([
    { ...run, jobId: 'fleet/1', host: 'h' },
    { ...run, jobId: 'fleet/2', host: 'gpu-1' },
  ]);
  const readFor = async (folder: string) => {
    const { runs: local, elsewhere } = await readLivingRuns(bench.url, folder);
    return { local: local.map(({ jobId }) => jobId).filter((id) => id.startsWith('fleet')), elsewhere };
  };
  expect(await readFor(home)).toEqual({ local: ['fleet/1'], elsewhere: 1 });
  // A home in which no worker ever started has no host yet.
  expect((await readFor(join(home, 'other'))).local).toEqual([]);
});
