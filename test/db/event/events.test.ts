import { eq, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { changeTask } from '../../../activities/research/change/change-task.ts';
import { hosts, researches, taskVersions } from '../../../db/schema.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { openGate } from '../../../domain/gate/gate.ts';
import { settingsOf } from '../../../domain/task/overrides.ts';
import { CONFIG, insertResearch, TASK } from '../../cli/support/lineage.ts';
import { insertReadyTrial, useDatabase } from '../support.ts';
import { toldOf } from './told.ts';

const bench = useDatabase();

const told = (id: string | null) => toldOf(bench.db, id);

test('a phase, its reason and a window are told when they change, by the statement that stores them', async () => {
  await insertResearch(bench.db, 'phases', { phase: 'starting' });
  const record = (phase: 'running' | 'waiting', reason: string | null, window: number) =>
    bench.store.research.recordPhase({ researchId: 'phases', phase, reason, window, activeSeconds: 1 });
  await record('running', null, 4);
  for (let attempt = 0; attempt < 2; attempt += 1) await record('waiting', 'no disk', 4);
  await record('waiting', 'no money', 5);
  expect(await told('phases')).toMatchObject([
    { kind: 'phase', n: null, data: { from: 'starting', phase: 'running', reason: null } },
    { kind: 'window', n: null, data: { from: null, window: 4 } },
    { kind: 'phase', data: { from: 'running', phase: 'waiting', reason: 'no disk' } },
    { kind: 'phase', data: { from: 'waiting', phase: 'waiting', reason: 'no money' } },
    { kind: 'window', data: { from: 4, window: 5 } },
  ]);
  expect(await bench.store.research.findResearch('phases')).toMatchObject({ phase: 'waiting', window: 5 });
});

test('a share of the hours is told while a trial takes long, once, by the statement that stores the time', async () => {
  await insertResearch(bench.db, 'hours', { phase: 'running', window: 1, budget: { ...TASK.budget, hours: 2 } });
  const after = (activeSeconds: number) =>
    bench.store.research.recordPhase({ researchId: 'hours', phase: 'running', reason: null, window: 1, activeSeconds });
  await after(3599);
  expect(await told('hours')).toEqual([]);
  await Promise.all([after(3600), after(3600), after(3660)]);
  await after(7000);
  expect(await told('hours')).toMatchObject([
    { kind: 'budget-share', n: null, data: { limit: 'hours', share: 50, of: 2 } },
    { kind: 'budget-share', data: { limit: 'hours', share: 80, spent: 7000 / 3600, of: 2 } },
  ]);
  // The outcome of a trial tells of the same shares.
  const again = { kind: 'budget-share' as const, researchId: 'hours' };
  await bench.store.event.insertEvents([{ ...again, data: { limit: 'hours', share: 80, spent: 1.95, of: 2 } }]);
  expect(await told('hours')).toHaveLength(2);
});

test('of several attempts at once to record the same phase one tells of it', async () => {
  await insertResearch(bench.db, 'racing', { window: 1 });
  const stores = Array.from({ length: 6 }, () => bench.another());
  const input = { researchId: 'racing', phase: 'paused' as const, reason: null, window: 1, activeSeconds: 1 };
  await Promise.all(stores.map((store) => store.research.recordPhase(input)));
  expect(await told('racing')).toMatchObject([{ kind: 'phase', data: { from: 'running', phase: 'paused' } }]);
});

test('a start on a slot is told once, also where it is said by several attempts at once, and on a second slot', async () => {
  const { store } = bench;
  const trialId = await insertReadyTrial(bench.db, 'starts', 2);
  const place = async (placement: number) => {
    const slotId = (await store.slot.offerSlot({ pool: 'starts', host: 'starts', holder: 'w' })) ?? '';
    const lease = await store.slot.leaseSlot({ trialId, slotId, holder: 'w' });
    if (!lease) throw new Error('Expected a free slot');
    await store.run.beginRun({ trialId, placement, lease });
    return { trialId, placement, fence: lease.fence };
  };
  const first = await place(0);
  expect(await store.run.markLaunched({ ...first, fence: first.fence - 1 })).toBe(false);
  expect(await told('starts')).toEqual([]);
  const stores = Array.from({ length: 6 }, () => bench.another());
  expect(await Promise.all(stores.map(({ run }) => run.markLaunched(first)))).toEqual(stores.map(() => true));
  expect(await told('starts')).toMatchObject([
    { kind: 'trial-started', n: 1, data: { host: 'starts', slot: 'starts/0' } },
  ]);
  await store.run.freeSlotOfPlacement(first);
  expect(await store.run.markLaunched(await place(1))).toBe(true);
  expect(await told('starts')).toHaveLength(1);
});

test('an endpoint is told when it goes down and when it is back', async () => {
  await insertResearch(bench.db, 'model');
  for (const down of [null, 'refused', 'refused', null, null])
    await bench.store.call.recordEndpoint({ researchId: 'model', down });
  expect(await told('model')).toMatchObject([
    { kind: 'endpoint-down', data: { why: 'refused' } },
    { kind: 'endpoint-back', data: { why: 'it answers' } },
  ]);
});

test('another run of the workflow is told where it takes over from one', async () => {
  await insertResearch(bench.db, 'chain');
  for (const runId of ['a', 'a', 'b', 'b'])
    await bench.store.research.recordWorkflowRun({ researchId: 'chain', runId });
  expect(await told('chain')).toMatchObject([{ kind: 'continued', n: null, data: { from: 'a', to: 'b' } }]);
  expect(await bench.store.research.findResearch('chain')).toMatchObject({ runId: 'b' });
});

test('a change of task is told once under its key, in its transaction', async () => {
  await insertResearch(bench.db, 'moves');
  const names = { name: 'toy', yaml: '', stageHash: 's', immutableHash: 'i', evaluatorHash: 'e' };
  const version = { ...names, hash: 'task-2', task: TASK, metricKey: 'other', mutablePaths: ['train.mjs'] };
  await bench.db.insert(taskVersions).values(version);
  const baseline = { id: 'task-2-baseline', immutableHash: 'i', files: {} };
  const method = { settings: settingsOf(TASK), settingsHash: 'settings', unfit: [] };
  const gate = { config: CONFIG, ...openGate(CONFIG, baseline.id) };
  const location = { task: '/tasks/toy', workspace: '/tasks/toy/workspace' };
  const input = { researchId: 'moves', taskHash: 'task-2', key: 'run/1', baseline, location, method, gate };
  for (let attempt = 0; attempt < 2; attempt += 1) await changeTask(bench.store, input);
  const data = { from: 'task-1', to: 'task-2', task: 'toy', keptIncumbent: false, why: 'evaluator or metric differ' };
  expect(await told('moves')).toMatchObject([{ kind: 'task-changed', n: null, data }]);
});

describe('a host', () => {
  const fleet = (scratch?: string) =>
    Fleet.parse({ pools: { p: { slots: 'cpu' } }, hosts: [{ name: 'h', pool: 'p', ...(scratch ? { scratch } : {}) }] });
  const well = () => {
    const { hosts: specs, pools } = fleet();
    const host = { name: 'h', pool: 'p', spec: specs[0]!, poolSpec: pools.p! };
    return bench.store.host.recordGoodProbe({
      host,
      note: null,
      slots: [],
      facts: { cores: 1, memoryMb: 1, gpus: [] },
    });
  };
  /** As if its quarantine had passed, and a look began now. */
  const later = () =>
    bench.db
      .update(hosts)
      .set({ quarantinedUntil: sql`now() - interval '1 second'`, lookedAt: sql`now()` })
      .where(eq(hosts.name, 'h'));

  test('is told when it goes out and when it is back, however often it fails between', async () => {
    const { store, db } = bench;
    await store.host.applyFleet(fleet());
    await well();
    const stores = Array.from({ length: 4 }, () => bench.another());
    await Promise.all(stores.map(({ host }) => host.noteHostFailure({ name: 'h', message: 'no route' })));
    await later();
    await store.host.noteHostFailure({ name: 'h', message: 'still no route' });
    await later();
    for (let look = 0; look < 2; look += 1) await well();
    expect(await told(null)).toMatchObject([
      { kind: 'host-out', n: null, data: { host: 'h', why: 'no route' } },
      { kind: 'host-back', n: null, data: { host: 'h', why: 'a look at it went well' } },
    ]);
    await store.host.noteHostFailure({ name: 'h', message: 'no route' });
    await store.host.applyFleet(fleet('/elsewhere'));
    expect((await toldOf(db, null)).map(({ kind }) => kind)).toEqual([
      ...['host-out', 'host-back', 'host-out', 'host-back'],
    ]);
  });
});

test('what a text holds that JSON in Postgres cannot is told all the same', async () => {
  await insertResearch(bench.db, 'odd');
  const why = `half a pair \ud83d and a NUL \0`;
  await bench.store.event.insertEvents([{ kind: 'endpoint-down', researchId: 'odd', data: { why } }]);
  expect(await told('odd')).toMatchObject([{ data: { why: 'half a pair � and a NUL �' } }]);
  await bench.store.call.recordEndpoint({ researchId: 'odd', down: why });
  expect(await told('odd')).toHaveLength(2);
  expect(await bench.db.query.researches.findFirst({ where: eq(researches.id, 'odd') })).toBeDefined();
});
