import { MockActivityEnvironment } from '@temporalio/testing';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createReconcileActivities } from '../../activities/reconcile.ts';
import { trials } from '../../db/schema.ts';
import { createFakeCompute } from '../../infra/compute/fake.ts';
import { BASELINE, insertResearch, trialRow } from '../cli/support/lineage.ts';
import { insertSlots, useDatabase } from '../db/queries/support.ts';

const bench = useDatabase();

type Described = Awaited<ReturnType<ActivityDeps['describeWorkflow']>>;

/** A look by another research, where Temporal knows these workflows. */
async function look(by: string, known: Record<string, Described>): Promise<void> {
  const compute = createFakeCompute({ host: 'fake' });
  const { reconcile } = createReconcileActivities({
    store: bench.store,
    computeOf: () => compute,
    describeWorkflow: (id: string) => Promise.resolve(known[id] ?? 'unknown'),
  } as unknown as ActivityDeps);
  await new MockActivityEnvironment().run(reconcile, { researchId: by, ns: [] });
}

/** A research `id` whose trial 1 holds a slot; nothing of it was heard of for as long as that. */
async function leased(id: string, ago: { lease: string; row: string }): Promise<void> {
  await insertResearch(bench.db, id, { lastN: 1 });
  await bench.db.insert(trials).values(trialRow(id, 1, { candidateId: BASELINE, pool: id }));
  await insertSlots(bench.db, id, 1);
  await bench.store.offerSlot({ pool: id, host: id, holder: 'w' });
  await bench.store.leaseSlot({ trialId: `${id}/1`, slotId: `${id}/0`, holder: 'w' });
  await bench.db.execute(sql`update slots set leased_at = now() - ${ago.lease}::interval where pool = ${id}`);
  await bench.db.execute(sql`update researches set updated_at = now() - ${ago.row}::interval where id = ${id}`);
}

const stateOf = async (id: string) => {
  const { status, failure } = await bench.store.loadTrial(`${id}/1`);
  return { status, failure, held: (await bench.store.findLease(`${id}/1`)) !== undefined };
};
const LONG_AGO = { lease: '2 minutes', row: '6 minutes' };
const UNTOUCHED = { status: null, failure: null, held: true };

test('a slot of another research that was closed together with its trial is freed, and the trial is lost', async () => {
  await insertResearch(bench.db, 'looking');
  await leased('closed', LONG_AGO);
  await leased('forgotten', LONG_AGO);
  await look('looking', { closed: 'closed', 'closed/1': 'closed' });
  const lost = { status: 'lost', failure: 'workflow-closed', held: false };
  expect([await stateOf('closed'), await stateOf('forgotten')]).toEqual([lost, lost]);
});

test('a slot of another research is left alone while the research or the trial is open, or was heard of lately', async () => {
  await insertResearch(bench.db, 'careful');
  await leased('open', LONG_AGO);
  await leased('outlived', LONG_AGO);
  await leased('young', { ...LONG_AGO, lease: '30 seconds' });
  await leased('restarting', { ...LONG_AGO, row: '2 minutes' });
  await look('careful', { open: 'open', 'open/1': 'closed', outlived: 'closed', 'outlived/1': 'open' });
  const ids = ['open', 'outlived', 'young', 'restarting'];
  expect(await Promise.all(ids.map(stateOf))).toEqual(ids.map(() => UNTOUCHED));
});
