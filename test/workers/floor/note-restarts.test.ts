import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { trials } from '../../../db/schema.ts';
import { NOTHING_LEFT } from '../../../domain/floor/left.ts';
import { beginAgain } from '../../../workers/floor/begin-again.ts';
import { noteRestarts } from '../../../workers/floor/note-restarts.ts';
import { insertResearch, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();
const warned: string[] = [];
const payloads = (value: unknown) => ({ payloads: [defaultPayloadConverter.toPayload(value)] });

interface Run {
  args?: unknown;
  runId?: string;
  status?: string;
  memo?: object;
  /** Whether it did anything. */
  isBegun?: boolean;
  /** Whether a person had cancelled it. */
  isCancelled?: boolean;
}

/** A server with these last runs; `started` and `cancelled` is what is started and cancelled there. */
function server(runs: Record<string, Run>) {
  const started: { type: string; workflowId: string; args: unknown[] }[] = [];
  const cancelled: string[] = [];
  const getHandle = (id: string) => ({
    cancel: () => Promise.resolve(void cancelled.push(id)),
    describe: () => {
      const { runId = 'old', status = 'RUNNING', memo = {} } = runs[id] ?? {};
      const shown = { staticSummary: () => Promise.resolve('shown'), staticDetails: () => Promise.resolve(undefined) };
      return Promise.resolve({ runId, memo, status: { name: status }, ...shown });
    },
    fetchHistory: () => {
      const { args, isBegun = true, isCancelled = false } = runs[id] ?? {};
      const done = isBegun ? [{ eventId: 4, workflowTaskCompletedEventAttributes: { startedEventId: 3 } }] : [];
      const pause = { eventId: 2, workflowExecutionSignaledEventAttributes: { signalName: 'pause' } };
      const cancel = isCancelled ? [{ eventId: 5, workflowExecutionCancelRequestedEventAttributes: {} }] : [];
      const begun = { eventId: 1, workflowExecutionStartedEventAttributes: { input: payloads(args) } };
      return Promise.resolve({ events: [begun, pause, ...done, ...cancel] });
    },
  });
  const start = (type: string, { workflowId, args }: { workflowId: string; args: unknown[] }) =>
    Promise.resolve(void started.push({ type, workflowId, args }));
  return { client: { workflow: { getHandle, start } } as unknown as Client, started, cancelled };
}

const isTrial = (id: string): boolean => /\/\d+$/.test(id);
const typeOf = (id: string) =>
  isTrial(id) ? ('trial' as const) : id.includes('/') ? ('job' as const) : ('research' as const);
const old = (workflowId: string) => ({
  ...{ type: typeOf(workflowId), workflowId },
  ...{ runId: 'old', memo: { task: 'toy', floor: 1, quiet: true } },
});
const noted = async (id: string) =>
  (await bench.store.research.findRestarts()).find(({ workflowId }) => workflowId === id);
const ARGS = { task: '/toy', tempo: 0.5, budget: { trials: 9 }, proposer: 'llm' };
const note = (client: Client, ids: string[], name: string | null = 'toy') =>
  noteRestarts(
    { client, store: bench.store, nameOf: () => Promise.resolve(name), warn: (line) => warned.push(line) },
    ids.map(old),
  );

test.each([
  ['whose run has opened it', 'by-run', { runId: 'old' }, ARGS, { task: '/toy', tempo: 0.5 }],
  ['whose run was handed over', 'by-carry', { runId: 'x' }, { ...ARGS, carry: {} }, { task: '/toy', tempo: 0.5 }],
  ['whose run has not opened it yet', 'unopened', { runId: 'before' }, ARGS, ARGS],
  ['that the database does not know', 'unknown', null, ARGS, ARGS],
] as const)('a research %s is begun again with what is not applied yet', async (_, id, row, args, again) => {
  if (row) await insertResearch(bench.db, id, row);
  await note(server({ [id]: { args } }).client, [id]);
  expect(await noted(id)).toMatchObject({ runId: 'old', left: { paused: true } });
  expect((await noted(id))?.start).toEqual({ args: again, memo: { task: 'toy' }, staticSummary: 'shown' });
});

test('a research whose folder is of another task by now is begun again by the name of its own', async () => {
  await insertResearch(bench.db, 'changed', { runId: 'old' });
  const { client } = server({ changed: { args: ARGS } });
  await note(client, ['changed'], 'another');
  expect((await noted('changed'))?.start.args).toMatchObject({ task: 'toy' });
  await note(client, ['changed'], null);
  expect((await noted('changed'))?.start.args).toMatchObject({ task: '/toy' });
});

test('what a run had not heard yet is not lost where it is ended, too', async () => {
  await insertResearch(bench.db, 'twice', { runId: 'old' });
  const left = { ...NOTHING_LEFT, window: 3, messages: [{ signal: 'note', arg: 1 }] };
  const start = { args: ARGS, memo: {} };
  await bench.store.research.noteRestart({ workflowId: 'twice', type: 'research', runId: 'older', start, left });
  await note(server({ twice: { args: { task: '/toy' } } }).client, ['twice']);
  expect(await noted('twice')).toMatchObject({ runId: 'old', left: { ...left, paused: true } });
});

test('a trial is begun again as adopted where its research is closed, and left to its research where that adopts it', async () => {
  for (const id of ['closed', 'fresh', 'again']) {
    await insertResearch(bench.db, id, { runId: 'old' });
    await bench.db.insert(trials).values([trialRow(id, 1), trialRow(id, 2, { status: 'completed' })]);
  }
  const { client } = server({
    ...{ closed: { status: 'COMPLETED' }, fresh: { isBegun: false }, again: { args: ARGS } },
    ...{ 'closed/1': { args: { tempo: 0.5 } }, 'closed/2': {}, 'fresh/1': {}, 'again/1': {} },
  });
  await note(client, ['again', 'closed/1', 'closed/2', 'fresh/1', 'again/1']);
  expect((await noted('closed/1'))?.start.args).toMatchObject({
    ...{ trialId: 'closed/1', n: 1, kind: 'search', researchId: 'closed', taskName: 'toy', tempo: 0.5, adopted: true },
  });
  for (const id of ['closed/2', 'fresh/1', 'again/1']) expect(await noted(id)).toBeUndefined();
});

test('a job is begun again under its id with what its row says, and is forgotten then; one without a row as it was started', async () => {
  const [known, unknown] = ['server/toy/known', 'command/toy/unknown'];
  await insertResearch(bench.db, 'of-jobs');
  const serve = { ready: 'up', restart: { firstSeconds: 1, mostSeconds: 2 } };
  await bench.store.job.openJob({
    ...{ id: known, kind: 'server', taskHash: 'task-1', pool: 'local', priority: 1 },
    spec: { shape: 'without-an-end', command: 'serve', ...serve },
  });
  const asked = { task: '/toy', command: 'true' };
  const { client } = server({ [known]: { args: { ...asked, tempo: 0.5, old: 'shape' } }, [unknown]: { args: asked } });
  await note(client, [known, unknown]);
  const again = { task: 'task-1', command: 'serve', serve, tempo: 0.5 };
  expect(await noted(known)).toMatchObject({ type: 'job', runId: 'old', left: null, start: { args: again } });
  expect(await noted(unknown)).toMatchObject({ type: 'job', start: { args: asked } });
  const ended = server({ [known]: { status: 'TERMINATED' }, [unknown]: { runId: 'new' } });
  await beginAgain({ client: ended.client, store: bench.store, warn: (line) => warned.push(line) });
  const started = ended.started.filter(({ type }) => type === 'job');
  expect(started).toEqual([{ type: 'job', workflowId: known, args: [again] }]);
  for (const id of [known, unknown]) expect(await noted(id)).toBeUndefined();
});

test('a job that a person had cancelled is cancelled once it is begun again, also by a worker that comes after a death', async () => {
  const ids = ['command/toy/cancelled', 'command/toy/started', 'command/toy/over', 'command/toy/goes-on'];
  const asked = { args: { task: '/toy', command: 'true' } };
  const [cancelled = '', started = '', over = '', goesOn = ''] = ids;
  const gone = { ...asked, isCancelled: true };
  await note(server({ [cancelled]: gone, [started]: gone, [over]: gone, [goesOn]: asked }).client, ids);
  const ended = server({
    ...{ [cancelled]: { status: 'TERMINATED' }, [goesOn]: { status: 'TERMINATED' } },
    ...{ [started]: { runId: 'new' }, [over]: { runId: 'new', status: 'COMPLETED' } },
  });
  await beginAgain({ client: ended.client, store: bench.store, warn: (line) => warned.push(line) });
  expect(ended.started.map(({ workflowId }) => workflowId).filter((id) => ids.includes(id))).toEqual([
    cancelled,
    goesOn,
  ]);
  expect(ended.cancelled).toEqual([cancelled, started]);
  for (const id of ids) expect(await noted(id)).toBeUndefined();
});

test.each([
  ['that was ended for it', { status: 'TERMINATED' }, true, true],
  ['that ended by itself before', { status: 'COMPLETED' }, false, false],
  ['that somebody has begun again', { runId: 'new' }, false, true],
  ['whose later run was refused at once', { runId: 'new', status: 'FAILED', memo: { after: 'old' } }, false, false],
  ['that a person has begun, and that was refused', { runId: 'new', status: 'FAILED' }, true, true],
  ['that a person has begun and ended', { runId: 'new', status: 'TERMINATED' }, false, false],
])('a run of a research %s is begun again or left as it is', async (name, run, isStarted, isKept) => {
  const start = { args: ARGS, memo: {} };
  await bench.store.research.noteRestart({
    workflowId: name,
    type: 'research',
    runId: 'old',
    start,
    left: NOTHING_LEFT,
  });
  const { client, started } = server({ [name]: run });
  await beginAgain({ client, store: bench.store, warn: (line) => warned.push(line) });
  const mine = started.filter(({ workflowId }) => workflowId === name);
  expect(mine).toEqual(isStarted ? [{ type: 'research', workflowId: name, args: [ARGS] }] : []);
  // Until a run of it has heard what was left.
  expect((await noted(name)) !== undefined).toBe(isKept);
});

test('one that cannot be read is left open and told, and keeps no other from being begun again', async () => {
  for (const id of ['unreadable', 'refused', 'well']) await insertResearch(bench.db, id, { runId: 'old' });
  const gone = { runId: 'old', status: 'TERMINATED', args: ARGS };
  const { client, started } = server({ unreadable: { args: ARGS }, refused: gone, well: gone });
  const broken = {
    ...client,
    workflow: {
      ...client.workflow,
      getHandle: (id: string) =>
        id === 'unreadable'
          ? { fetchHistory: () => Promise.reject(new Error('too large')) }
          : client.workflow.getHandle(id),
      start: (type: string, options: { workflowId: string; args: unknown[] }) =>
        options.workflowId === 'refused'
          ? Promise.reject(new Error('no such queue'))
          : client.workflow.start(type, options as never),
    },
  } as unknown as Client;
  warned.length = 0;
  const noted = await note(broken, ['unreadable', 'refused', 'well']);
  expect(noted.map(({ workflowId }) => workflowId)).toEqual(['refused', 'well']);
  await beginAgain({ client: broken, store: bench.store, warn: (line) => warned.push(line) });
  expect(started.map(({ workflowId }) => workflowId)).toContain('well');
  expect(started.map(({ workflowId }) => workflowId)).not.toContain('refused');
  expect(warned).toEqual(
    expect.arrayContaining([
      expect.stringContaining('unreadable is of an older version'),
      expect.stringContaining('refused was ended'),
    ]),
  );
});
