import { eq, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { changeTask } from '../../../activities/research/change/change-task.ts';
import { hosts, researches, taskVersions } from '../../../db/schema.ts';
import type { Senders } from '../../../domain/messages/sender.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { openGate } from '../../../domain/gate/gate.ts';
import { settingsOf } from '../../../domain/task/overrides.ts';
import { CONFIG, insertResearch, TASK } from '../../cli/support/lineage.ts';
import { insertReadyTrial, useDatabase } from '../support.ts';
import { readAllEvents } from './read-all-events.ts';

const bench = useDatabase();

const eventsOf = (id: string | null) => readAllEvents(bench.db, id);

test('a change of phase, reason or window is an event, inserted by the statement that stores it', async () => {
  await insertResearch(bench.db, 'phases', { phase: 'starting' });
  const record = (phase: 'running' | 'waiting', reason: string | null, window: number) =>
    bench.store.research.recordPhase({ researchId: 'phases', phase, reason, window, activeSeconds: 1 });
  await record('running', null, 4);
  for (let attempt = 0; attempt < 2; attempt += 1) await record('waiting', 'no disk', 4);
  await record('waiting', 'no money', 5);
  expect(await eventsOf('phases')).toMatchObject([
    { kind: 'phase', n: null, data: { from: 'starting', phase: 'running', reason: null } },
    { kind: 'window', n: null, data: { from: null, window: 4 } },
    { kind: 'phase', data: { from: 'running', phase: 'waiting', reason: 'no disk' } },
    { kind: 'phase', data: { from: 'waiting', phase: 'waiting', reason: 'no money' } },
    { kind: 'window', data: { from: 4, window: 5 } },
  ]);
  expect(await bench.store.research.findResearch('phases')).toMatchObject({ phase: 'waiting', window: 5 });
});

test('the sender of a message is in the event of the phase or window that it changed, and in no other', async () => {
  await insertResearch(bench.db, 'sent', { phase: 'running', window: 4 });
  const record = (phase: 'running' | 'paused', window: number, senders?: Senders) =>
    bench.store.research.recordPhase({
      researchId: 'sent',
      phase,
      reason: null,
      window,
      activeSeconds: 1,
      ...(senders && { senders }),
    });
  for (let attempt = 0; attempt < 2; attempt += 1) await record('paused', 4, { phase: 'page', window: null });
  await record('running', 6, { phase: null, window: 'command-line' });
  const sent = (await eventsOf('sent')).map(({ kind, data }) => [kind, (data as { sender?: string }).sender]);
  expect(sent).toEqual([
    ['phase', 'page'],
    ['phase', undefined],
    ['window', 'command-line'],
  ]);
});

test('a note has one event, with the begin of its text and its sender, however often it is stored', async () => {
  await insertResearch(bench.db, 'advised');
  const note = { id: 'n1', researchId: 'advised', text: `\u0000${'long '.repeat(200)}`, sender: 'page' as const };
  const { text, ...rest } = note;
  for (let attempt = 0; attempt < 2; attempt += 1)
    await bench.store.research.insertNote({ ...rest, text: text.replace('\u0000', '') });
  await bench.store.research.insertNote({ id: 'n2', researchId: 'advised', text: 'short' });
  expect(await eventsOf('advised')).toMatchObject([
    { kind: 'note-added', n: null, data: { text: 'long '.repeat(60), sender: 'page' } },
    { kind: 'note-added', data: { text: 'short' } },
  ]);
});

test('a share of the hours is one event, inserted by the statement that stores the time of a long trial', async () => {
  await insertResearch(bench.db, 'hours', { phase: 'running', window: 1, budget: { ...TASK.budget, hours: 2 } });
  const after = (activeSeconds: number) =>
    bench.store.research.recordPhase({ researchId: 'hours', phase: 'running', reason: null, window: 1, activeSeconds });
  await after(3599);
  expect(await eventsOf('hours')).toEqual([]);
  await Promise.all([after(3600), after(3600), after(3660)]);
  await after(7000);
  expect(await eventsOf('hours')).toMatchObject([
    { kind: 'budget-share', n: null, data: { limit: 'hours', share: 50, of: 2 } },
    { kind: 'budget-share', data: { limit: 'hours', share: 80, spent: 7000 / 3600, of: 2 } },
  ]);
  // The outcome of a trial reports the same shares.
  const again = { kind: 'budget-share' as const, researchId: 'hours' };
  await bench.store.event.insertEvents([{ ...again, data: { limit: 'hours', share: 80, spent: 1.95, of: 2 } }]);
  expect(await eventsOf('hours')).toHaveLength(2);
});

test('several attempts at once to record the same phase make one event', async () => {
  await insertResearch(bench.db, 'racing', { window: 1 });
  const stores = Array.from({ length: 6 }, () => bench.another());
  const input = { researchId: 'racing', phase: 'paused' as const, reason: null, window: 1, activeSeconds: 1 };
  await Promise.all(stores.map((store) => store.research.recordPhase(input)));
  expect(await eventsOf('racing')).toMatchObject([{ kind: 'phase', data: { from: 'running', phase: 'paused' } }]);
});

test('the start of a trial is one event, even with several attempts at once, and on a second slot', async () => {
  const { store } = bench;
  const trialId = await insertReadyTrial(bench.db, 'starts', 2);
  const place = async (placement: number) => {
    const slotId = (await store.slot.offerSlot({ pool: 'starts', host: 'starts', holder: 'w' })) ?? '';
    const lease = await store.slot.leaseSlot({ jobId: trialId, slotId, holder: 'w' });
    if (!lease) throw new Error('Expected a free slot');
    await store.run.beginRun({ jobId: trialId, placement, lease });
    return { jobId: trialId, placement, fence: lease.fence };
  };
  const first = await place(0);
  expect(await store.run.markLaunched({ ...first, fence: first.fence - 1 })).toBe(false);
  expect(await eventsOf('starts')).toEqual([]);
  const stores = Array.from({ length: 6 }, () => bench.another());
  expect(await Promise.all(stores.map(({ run }) => run.markLaunched(first)))).toEqual(stores.map(() => true));
  expect(await eventsOf('starts')).toMatchObject([
    { kind: 'trial-started', n: 1, data: { host: 'starts', slot: 'starts/0' } },
  ]);
  await store.run.freeSlotOfPlacement(first);
  expect(await store.run.markLaunched(await place(1))).toBe(true);
  expect(await eventsOf('starts')).toHaveLength(1);
});

test('an endpoint has an event when it goes down and when it is back', async () => {
  await insertResearch(bench.db, 'model');
  for (const down of [null, 'refused', 'refused', null, null])
    await bench.store.call.recordEndpoint({ researchId: 'model', down });
  expect(await eventsOf('model')).toMatchObject([
    { kind: 'endpoint-down', data: { why: 'refused' } },
    { kind: 'endpoint-back', data: { why: 'it answers' } },
  ]);
});

test('a new run of the workflow is an event if it continues another one', async () => {
  await insertResearch(bench.db, 'chain');
  for (const runId of ['a', 'a', 'b', 'b'])
    await bench.store.research.recordWorkflowRun({ researchId: 'chain', runId });
  expect(await eventsOf('chain')).toMatchObject([{ kind: 'continued', n: null, data: { from: 'a', to: 'b' } }]);
  expect(await bench.store.research.findResearch('chain')).toMatchObject({ runId: 'b' });
});

test('a change of task is one event for its key, in its transaction', async () => {
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
  const data = {
    from: 'task-1',
    to: 'task-2',
    task: 'toy',
    keptIncumbent: false,
    why: 'the new version has another evaluator or metric',
  };
  expect(await eventsOf('moves')).toMatchObject([{ kind: 'task-changed', n: null, data }]);
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
  /** Ends the quarantine of the host, and begins a probe now. */
  const later = () =>
    bench.db
      .update(hosts)
      .set({ quarantinedUntil: sql`now() - interval '1 second'`, lookedAt: sql`now()` })
      .where(eq(hosts.name, 'h'));

  test('has an event when it fails and when it is back, however often it fails in between', async () => {
    const { store, db } = bench;
    await store.host.applyFleet(fleet());
    await well();
    const stores = Array.from({ length: 4 }, () => bench.another());
    await Promise.all(stores.map(({ host }) => host.noteHostFailure({ name: 'h', message: 'no route' })));
    await later();
    await store.host.noteHostFailure({ name: 'h', message: 'still no route' });
    await later();
    for (let probe = 0; probe < 2; probe += 1) await well();
    expect(await eventsOf(null)).toMatchObject([
      { kind: 'host-out', n: null, data: { host: 'h', why: 'no route' } },
      { kind: 'host-back', n: null, data: { host: 'h', why: 'a probe of it succeeded' } },
    ]);
    await store.host.noteHostFailure({ name: 'h', message: 'no route' });
    await store.host.applyFleet(fleet('/elsewhere'));
    const kinds = (await readAllEvents(db, null)).map(({ kind }) => kind);
    expect(kinds).toEqual(['host-out', 'host-back', 'host-out', 'host-back']);
  });
});

test('an event whose text JSON in Postgres cannot hold is stored with replacement characters', async () => {
  await insertResearch(bench.db, 'odd');
  const why = `half a pair \ud83d and a NUL \0`;
  await bench.store.event.insertEvents([{ kind: 'endpoint-down', researchId: 'odd', data: { why } }]);
  expect(await eventsOf('odd')).toMatchObject([{ data: { why: 'half a pair � and a NUL �' } }]);
  await bench.store.call.recordEndpoint({ researchId: 'odd', down: why });
  expect(await eventsOf('odd')).toHaveLength(2);
  expect(await bench.db.query.researches.findFirst({ where: eq(researches.id, 'odd') })).toBeDefined();
});
