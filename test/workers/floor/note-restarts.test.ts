import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { trials } from '../../../db/schema.ts';
import { insertResearch, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';
import { APPLIED, ARGS, floorOn, server } from './support.ts';

const bench = useDatabase();
const { warned, note, begin, noted } = floorOn(bench);

test.each([
  ['whose run has opened it', 'by-run', { runId: 'old' }, ARGS, APPLIED],
  ['whose run was continued as new', 'by-carry', { runId: 'x' }, { ...ARGS, carry: {} }, APPLIED],
  ['whose run has not opened it yet', 'unopened', { runId: 'before' }, ARGS, { ...ARGS, window: 3 }],
  ['that the database does not know', 'unknown', null, ARGS, { ...ARGS, window: 3 }],
] as const)('a research %s is begun again with the arguments not applied yet', async (_, id, row, args, again) => {
  if (row) await insertResearch(bench.db, id, row);
  await note(server({ [id]: { args } }).client, [id]);
  expect(await noted(id)).toMatchObject({ runId: 'old' });
  expect((await noted(id))?.start).toEqual({ args: again, memo: { task: 'toy' }, staticSummary: 'shown' });
});

test('a research whose folder holds another task by now is begun again by the name of its own task', async () => {
  await insertResearch(bench.db, 'changed', { runId: 'old' });
  const { client } = server({ changed: { args: ARGS } });
  await note(client, ['changed'], 'another');
  expect((await noted('changed'))?.start.args).toMatchObject({ task: 'toy' });
  await note(client, ['changed'], null);
  expect((await noted('changed'))?.start.args).toMatchObject({ task: '/toy' });
});

test('a trial is begun again as adopted if its research is closed, else its research adopts it', async () => {
  for (const id of ['closed', 'fresh', 'again']) {
    await insertResearch(bench.db, id, { runId: 'old' });
    await bench.db.insert(trials).values([trialRow(id, 1), trialRow(id, 2, { status: 'completed' })]);
  }
  const { client } = server({
    closed: { status: 'COMPLETED' },
    fresh: { isBegun: false },
    again: { args: ARGS },
    'closed/1': { args: { tempo: 0.5 } },
    'closed/2': {},
    'fresh/1': {},
    'again/1': {},
  });
  await note(client, ['again', 'closed/1', 'closed/2', 'fresh/1', 'again/1']);
  expect((await noted('closed/1'))?.start.args).toMatchObject({
    trialId: 'closed/1',
    n: 1,
    kind: 'search',
    researchId: 'closed',
    taskName: 'toy',
    tempo: 0.5,
    adopted: true,
  });
  for (const id of ['closed/2', 'fresh/1', 'again/1']) expect(await noted(id)).toBeUndefined();
});

test('a research whose run was about to close is not begun again, and its end is in the database', async () => {
  const [stored, open, again] = ['stored', 'not-stored-yet', 'started-again'] as const;
  const end = { phase: 'stopped', reason: 'stopped by a person', window: 2, activeSeconds: 30 };
  await insertResearch(bench.db, stored, { runId: 'old', phase: 'stopped', reason: end.reason, window: 2 });
  await insertResearch(bench.db, open, { runId: 'old', phase: 'stopping' });
  // The stored end belongs to the previous run: a person has started this one.
  await insertResearch(bench.db, again, { runId: 'old', phase: 'stopped' });
  const run = { args: ARGS, signals: [['stop']] as const, phases: [{ phase: 'running' }, end] };
  const { client } = server({ [stored]: run, [open]: run, [again]: { args: ARGS } });
  expect((await note(client, [stored, open, again])).map(({ workflowId }) => workflowId)).toEqual([
    stored,
    open,
    again,
  ]);
  for (const researchId of [stored, open]) {
    expect(await noted(researchId)).toBeUndefined();
    expect(await bench.store.research.findResearch(researchId)).toMatchObject(end);
  }
  expect(await noted(again)).toMatchObject({ runId: 'old' });
});

test('a cancelled trial is begun again and cancelled, since its research does not know of that', async () => {
  await insertResearch(bench.db, 'goes-on', { runId: 'old' });
  await bench.db.insert(trials).values([trialRow('goes-on', 1), trialRow('goes-on', 2)]);
  const runs = { 'goes-on': { args: ARGS }, 'goes-on/1': { args: {}, isCancelled: true }, 'goes-on/2': { args: {} } };
  await note(server(runs).client, Object.keys(runs));
  expect((await noted('goes-on/1'))?.start.args).toMatchObject({ trialId: 'goes-on/1', adopted: true });
  expect(await noted('goes-on/2')).toBeUndefined();
  const gone = { status: 'TERMINATED' };
  const { client, cancelled } = server({ 'goes-on': gone, 'goes-on/1': { ...gone, isCancelled: true } });
  await begin(client);
  expect(cancelled).toEqual(['goes-on/1']);
});

test('a job is begun again from its row, or as it was started if it has none, and its note is deleted', async () => {
  const [known, unknown] = ['server/toy/known', 'command/toy/unknown'];
  await insertResearch(bench.db, 'of-jobs');
  const serve = { ready: 'up', restart: { firstSeconds: 1, mostSeconds: 2 } };
  await bench.store.job.openJob({
    id: known,
    kind: 'server',
    taskHash: 'task-1',
    pool: 'local',
    priority: 1,
    spec: { shape: 'without-an-end', command: 'serve', ...serve },
  });
  const asked = { task: '/toy', command: 'true' };
  const { client } = server({ [known]: { args: { ...asked, tempo: 0.5, old: 'shape' } }, [unknown]: { args: asked } });
  await note(client, [known, unknown]);
  const again = { task: 'task-1', command: 'serve', serve, tempo: 0.5 };
  expect(await noted(known)).toMatchObject({ type: 'job', runId: 'old', start: { args: again } });
  expect(await noted(unknown)).toMatchObject({ type: 'job', start: { args: asked } });
  const ended = server({ [known]: { status: 'TERMINATED' }, [unknown]: { runId: 'new' } });
  await begin(ended.client);
  const started = ended.started.filter(({ type }) => type === 'job');
  expect(started).toEqual([{ type: 'job', workflowId: known, args: [again] }]);
  for (const id of [known, unknown]) expect(await noted(id)).toBeUndefined();
});

test('a workflow that cannot be read or started brings a warning, and the others are begun again', async () => {
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
  const ended = await note(broken, ['unreadable', 'refused', 'well']);
  expect(ended.map(({ workflowId }) => workflowId)).toEqual(['refused', 'well']);
  await begin(broken);
  expect(started.map(({ workflowId }) => workflowId)).toContain('well');
  expect(started.map(({ workflowId }) => workflowId)).not.toContain('refused');
  expect(warned).toEqual(
    expect.arrayContaining([
      expect.stringContaining('unreadable is of an older version'),
      expect.stringContaining('this worker ended refused of an older version'),
    ]),
  );
});
