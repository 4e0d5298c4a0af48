import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { loadRunnable } from '../../../activities/launch/runnable.ts';
import type { JobSpec } from '../../../domain/job.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();

test('a job of a shape that a newer version stored is not launched, though it has a command', async () => {
  await insertResearch(bench.db, 'toy');
  const [taskHash = null] = [(await bench.store.research.findResearch('toy'))?.taskHash];
  const open = (id: string, spec: object) =>
    bench.store.job.openJob({
      ...({ id, kind: 'command', taskHash, pool: 'local', priority: 3 } as const),
      spec: spec as JobSpec,
    });
  await open('command/toy/known', { shape: 'to-an-end', command: 'true' });
  await open('command/toy/newer', { shape: 'by-the-hour', command: 'true' });
  const deps = { store: bench.store } as unknown as ActivityDeps;
  expect(await loadRunnable(deps, 'command/toy/known')).toMatchObject({ pool: 'local', ended: null });
  await expect(loadRunnable(deps, 'command/toy/newer')).rejects.toMatchObject({
    ...{ name: 'UnknownMethod', axis: 'job.shape', value: 'by-the-hour' },
  });
});
