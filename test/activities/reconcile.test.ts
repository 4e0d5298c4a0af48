import { MockActivityEnvironment } from '@temporalio/testing';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createReconcileActivities, type Reconciled, type ReconcileInput } from '../../activities/reconcile.ts';
import type { AgentRun } from '../../domain/agent/agent-run.ts';
import { proposalJobOf } from '../../domain/agent/proposal-job.ts';
import { runs } from '../../db/schema.ts';
import type { Compute } from '../../infra/compute.ts';
import { createFakeCompute } from '../../infra/compute/fake.ts';
import { BASELINE, insertResearch, trialRow, storeTrials } from '../cli/support/lineage.ts';
import { insertSlots, useDatabase } from '../db/support.ts';

const bench = useDatabase();

type Described = Awaited<ReturnType<ActivityDeps['temporal']['describeWorkflow']>>;

type Clock = NonNullable<Parameters<typeof createReconcileActivities>[1]>;
const AN_HOUR_UP: Clock = { deadline: () => new Promise(() => undefined), upSeconds: () => 3600 };

/** The dependencies of a worker, in a Temporal that knows these workflows. */
function depsOf(
  known: Record<string, Described>,
  compute: Compute = createFakeCompute({ host: 'fake' }),
): ActivityDeps {
  return {
    store: bench.store,
    hosts: { computeOf: () => compute, isOwnHost: () => true },
    gateway: { remove: () => Promise.resolve() },
    reach: () => undefined,
    temporal: { describeWorkflow: (id: string) => Promise.resolve(known[id] ?? 'unknown') },
    pools: { slotsOf: (pool: string) => Promise.resolve(pool === 'empty' ? 0 : 7) },
  } as unknown as ActivityDeps;
}

/** The reconcile activity of such a worker. */
function workerOf(known: Record<string, Described>, { compute, clock }: { compute?: Compute; clock?: Clock } = {}) {
  const { reconcile } = createReconcileActivities(depsOf(known, compute), clock ?? AN_HOUR_UP);
  return (researchId: string, ns: number[] = [], pool = 'local') =>
    new MockActivityEnvironment().run<[ReconcileInput], Reconciled, typeof reconcile>(reconcile, {
      researchId,
      ns,
      pool,
    });
}

/** Reconciles another research, in a Temporal that knows these workflows. */
const reconcileFor = (researchId: string, known: Record<string, Described>, upSeconds = 3600) =>
  workerOf(known, { clock: { ...AN_HOUR_UP, upSeconds: () => upSeconds } })(researchId);

/** Inserts a research whose trial 1 holds a slot, and whose lease and row are that old. */
async function leased(id: string, ago: { lease: string; row: string }): Promise<void> {
  await insertResearch(bench.db, id, { lastN: 1 });
  await storeTrials(bench.db, trialRow(id, 1, { candidateId: BASELINE, pool: id }));
  await insertSlots(bench.db, id, 1);
  await bench.store.slot.offerSlot({ pool: id, host: id, holder: 'w' });
  await bench.store.slot.leaseSlot({ jobId: `${id}/1`, slotId: `${id}/0`, holder: 'w' });
  await bench.db.execute(sql`update slots set leased_at = now() - ${ago.lease}::interval where pool = ${id}`);
  await bench.db.execute(sql`update researches set updated_at = now() - ${ago.row}::interval where id = ${id}`);
}

const stateOf = async (id: string) => {
  const { status, failure } = await bench.store.trial.loadTrial(`${id}/1`);
  return { status, failure, held: (await bench.store.slot.findLease(`${id}/1`)) !== undefined };
};
const LONG_AGO = { lease: '2 minutes', row: '6 minutes' };
const UNTOUCHED = { status: null, failure: null, held: true };

test('a slot of another research that was closed together with its trial is freed, and the trial is lost', async () => {
  await insertResearch(bench.db, 'looking');
  await leased('closed', LONG_AGO);
  await leased('forgotten', LONG_AGO);
  await reconcileFor('looking', { closed: 'closed', 'closed/1': 'closed' });
  const lost = { status: 'lost', failure: 'workflow-closed', held: false };
  expect([await stateOf('closed'), await stateOf('forgotten')]).toEqual([lost, lost]);
});

test('a slot of another research stays while research or trial are open, or lease or row are recent', async () => {
  await insertResearch(bench.db, 'careful');
  await leased('open', LONG_AGO);
  await leased('outlived', LONG_AGO);
  await leased('young', { ...LONG_AGO, lease: '30 seconds' });
  await leased('restarting', { ...LONG_AGO, row: '2 minutes' });
  await reconcileFor('careful', { open: 'open', 'open/1': 'closed', outlived: 'closed', 'outlived/1': 'open' });
  const ids = ['open', 'outlived', 'young', 'restarting'];
  expect(await Promise.all(ids.map(stateOf))).toEqual(ids.map(() => UNTOUCHED));
});

test('a slot of a silent research stays until this worker has run for five minutes', async () => {
  await insertResearch(bench.db, 'morning');
  await leased('overnight', { lease: '9 hours', row: '8 hours' });
  await reconcileFor('morning', {}, 4 * 60);
  expect(await stateOf('overnight')).toEqual(UNTOUCHED);
  await reconcileFor('morning', {}, 6 * 60);
  expect(await stateOf('overnight')).toEqual({ status: 'lost', failure: 'workflow-closed', held: false });
});

/** Inserts a research whose trial 1 waits for an agent that holds a slot since long ago; returns the agent's job. */
async function leasedAgent(id: string): Promise<string> {
  await leased(id, LONG_AGO);
  const trialId = `${id}/1`;
  const jobId = proposalJobOf(trialId);
  await bench.store.job.openJob({
    id: jobId,
    kind: 'proposal',
    researchId: id,
    taskHash: 'task-1',
    pool: id,
    priority: 3,
    spec: { shape: 'to-an-end', agent: { trialId } as AgentRun },
  });
  await bench.db.execute(sql`update slots set trial_id = ${jobId} where pool = ${id}`);
  return jobId;
}

const isHeld = async (jobId: string) => (await bench.store.slot.findLease(jobId)) !== undefined;

test('a slot of an agent is freed once research and trial are closed, and the trial is lost', async () => {
  await insertResearch(bench.db, 'watches agents');
  const [closed, open] = [await leasedAgent('agent closed'), await leasedAgent('agent open')];
  const known = { 'agent closed': 'closed', 'agent closed/1': 'closed', 'agent open/1': 'open' } as const;
  await reconcileFor('watches agents', known);
  expect([await isHeld(closed), await isHeld(open)]).toEqual([false, true]);
  expect(await stateOf('agent closed')).toMatchObject({ status: 'lost', failure: 'workflow-closed' });
  expect((await bench.store.job.loadJob(closed)).job.ending?.why).toBe('cancelled');
});

test('a slot of an agent is freed after the outcome of its trial, although nobody has ended the agent', async () => {
  const jobId = await leasedAgent('agent outlives');
  const trialId = 'agent outlives/1';
  const outcome = { failure: null, value: null, metrics: {}, evaluatorNotes: null, trusted: true };
  await bench.store.trial.writeOutcome({ ...outcome, trialId, researchId: 'agent outlives', status: 'aborted' });
  await bench.db.execute(sql`update jobs set ended_at = ended_at - interval '1 minute' where id = ${jobId}`);
  await reconcileFor('agent outlives', {});
  expect(await isHeld(jobId)).toBe(false);
});

/** Inserts a command whose lease of a slot is that old. */
async function leasedCommand(id: string, lease: string): Promise<void> {
  await bench.store.job.openJob({
    id,
    kind: 'command',
    taskHash: 'task-1',
    pool: id,
    priority: 1,
    spec: { shape: 'to-an-end', command: 'true' },
  });
  await insertSlots(bench.db, id, 1);
  await bench.store.slot.offerSlot({ pool: id, host: id, holder: 'w' });
  await bench.store.slot.leaseSlot({ jobId: id, slotId: `${id}/0`, holder: 'w' });
  await bench.db.execute(sql`update slots set leased_at = now() - ${lease}::interval where pool = ${id}`);
}

test.each([
  ['whose workflow is closed is ended', 'closed', '2 minutes', 120, true],
  ['whose workflow is open goes on', 'open', '9 hours', 3600, false],
  ['that nobody knows goes on while it may be started again', 'unknown', '4 minutes', 3600, false],
  ['that nobody knows goes on while this worker is new', 'unknown', '9 hours', 240, false],
  ['that nobody knows is ended after five minutes', 'unknown', '6 minutes', 360, true],
] as const)('a command of a minute or more %s', async (name, state, lease, upSeconds, isEnded) => {
  const id = `command/toy/${name}`;
  await insertResearch(bench.db, `looks at ${name}`);
  await leasedCommand(id, lease);
  await reconcileFor(`looks at ${name}`, { [id]: state }, upSeconds);
  expect((await bench.store.slot.findLease(id)) === undefined).toBe(isEnded);
  const { job } = await bench.store.job.loadJob(id);
  expect(job.ending?.why).toBe(isEnded ? 'failed' : undefined);
  await bench.store.job.closeJob(id, { why: 'ended', detail: null });
});

test('a waiting job frees the slots of closed workflows and of ended jobs, as a research does', async () => {
  const [closed, ended, open] = ['command/toy/swept', 'command/toy/stale', 'command/toy/well'];
  for (const id of [closed, ended, open]) await leasedCommand(id, '2 minutes');
  await bench.store.job.closeJob(ended, { why: 'ended', detail: null });
  await bench.db.execute(sql`update jobs set ended_at = now() - interval '1 minute' where id = ${ended}`);
  await leased('gone', LONG_AGO);
  const { sweep } = createReconcileActivities(depsOf({ [closed]: 'closed', [open]: 'open' }), AN_HOUR_UP);
  await new MockActivityEnvironment().run(sweep, { jobId: 'command/toy/waits' });
  const held = async (id: string) => (await bench.store.slot.findLease(id)) !== undefined;
  expect(await Promise.all([closed, ended, open].map(held))).toEqual([false, false, true]);
  expect(await stateOf('gone')).toEqual({ status: 'lost', failure: 'workflow-closed', held: false });
});

test('a reconcile ends at its deadline, whatever cannot be killed, and the next reports what it began', async () => {
  await insertResearch(bench.db, 'stuck', { lastN: 1 });
  await storeTrials(bench.db, trialRow('stuck', 1, { candidateId: BASELINE }));
  await leased('forsaken', LONG_AGO);
  await leased('ended', LONG_AGO);
  await bench.db.execute(
    sql`update trials set status = 'lost', ended_at = now() - interval '1 minute' where id = 'ended/1'`,
  );
  await bench.db.execute(sql`update jobs set ended_at = now() - interval '1 minute' where id = 'ended/1'`);
  for (const id of ['stuck', 'forsaken', 'ended'])
    await bench.db
      .insert(runs)
      .values({ jobId: `${id}/1`, placement: 0, host: 'fake', slotId: 'fake/0', fence: 1, launchedAt: new Date() });
  const asked: string[] = [];
  const kill = ({ jobId }: { jobId: string }): Promise<never> => {
    asked.push(jobId);
    return new Promise(() => undefined);
  };
  let pass = (): void => undefined;
  const over = new Promise<void>((resolve) => (pass = resolve));
  let deadlines = 0;
  const deadline = (): Promise<void> => {
    deadlines += 1;
    return over;
  };
  const compute = { ...createFakeCompute({ host: 'fake' }), kill };
  const reconcileNow = workerOf({ 'stuck/1': 'closed' }, { compute, clock: { ...AN_HOUR_UP, deadline } });
  const first = reconcileNow('stuck', [1]);
  await expect.poll(() => asked).toEqual(['ended/1']);
  pass();
  expect((await first).missing).toEqual([]);
  expect(deadlines).toBe(1);
  await expect.poll(() => [...asked].sort()).toEqual(['ended/1', 'forsaken/1', 'stuck/1']);
  expect((await reconcileNow('stuck', [1])).ended).toMatchObject([{ n: 1, status: 'lost' }]);
});

test('a reconcile reports how many slots the pool has now, one at least', async () => {
  await insertResearch(bench.db, 'sizes');
  const reconcileNow = workerOf({});
  expect((await reconcileNow('sizes', [], 'gpu')).slots).toBe(7);
  expect((await reconcileNow('sizes', [], 'empty')).slots).toBe(1);
});
