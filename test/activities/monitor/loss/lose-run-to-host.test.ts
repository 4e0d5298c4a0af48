import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../../../activities/deps.ts';
import { loseRunToHost } from '../../../../activities/monitor/loss/lose-run-to-host.ts';
import type { Compute } from '../../../../infra/compute.ts';
import { insertResearch } from '../../../cli/support/lineage.ts';
import { insertSlots, useDatabase } from '../../../db/support.ts';

const bench = useDatabase();
const DAMAGED = 'another process changed the prepared files of the task on this host (a file changed)';

test('a command whose workspace was damaged is lost as a trial is, though it has no research', async () => {
  const { db, store } = bench;
  const id = 'command/a/damaged';
  await insertResearch(db, 'beside');
  await store.job.openJob({
    id,
    kind: 'command',
    taskHash: 'task-1',
    pool: 'here',
    priority: 1,
    spec: { shape: 'to-an-end', command: 'true' },
  });
  await insertSlots(db, 'here', 1);
  await store.slot.offerSlot({ pool: 'here', host: 'here', holder: 'w' });
  const lease = await store.slot.leaseSlot({ jobId: id, slotId: 'here/0', holder: 'w' });
  const key = { jobId: id, placement: 0 };
  await store.run.beginRun({ ...key, lease: lease ?? expect.unreachable() });
  const run = (await store.run.becomeFollower(key)) ?? expect.unreachable();
  const done: string[] = [];
  const note = (word: string) => () => Promise.resolve(void done.push(word));
  const compute = {
    kill: note('killed'),
    remove: note('removed'),
    forgetConfinement: () => undefined,
  } as unknown as Compute;
  const deps = { store, hosts: { isOwnHost: () => true }, reach: () => undefined } as unknown as ActivityDeps;
  await new MockActivityEnvironment().run(() =>
    loseRunToHost({ deps, compute, key, run }, { party: 'host', cause: 'damaged', words: DAMAGED }),
  );
  expect(done).toEqual(['killed', 'removed']);
  expect(await store.run.findRun(key)).toMatchObject({ shortage: DAMAGED });
  expect(await store.slot.findLease(id)).toBeUndefined();
});
