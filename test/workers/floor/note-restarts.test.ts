import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { readAlerts } from '../../../db/reads/status/read-alerts.ts';
import { trials } from '../../../db/schema.ts';
import { STOPPING_REASONS } from '../../../domain/research/phase.ts';
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
  /** Signals that it has not read. */
  unread?: string[];
  /** Whether the server still has the history of the run before. */
  hasHistory?: boolean;
}

interface Started {
  type: string;
  workflowId: string;
  args: unknown[];
  signal?: string;
  signalArgs?: unknown[];
}

/** A server with these last runs; `started` and `cancelled` is what is started and cancelled there. */
function server(runs: Record<string, Run>) {
  const started: Started[] = [];
  const cancelled: string[] = [];
  const getHandle = (id: string) => ({
    cancel: () => Promise.resolve(void cancelled.push(id)),
    describe: () => {
      const { runId = 'old', status = 'RUNNING', memo = {} } = runs[id] ?? {};
      const shown = { staticSummary: () => Promise.resolve('shown'), staticDetails: () => Promise.resolve(undefined) };
      return Promise.resolve({ runId, memo, status: { name: status }, ...shown });
    },
    fetchHistory: () => {
      const { args, isBegun = true, isCancelled = false, unread = [], hasHistory = true } = runs[id] ?? {};
      if (!hasHistory) return Promise.reject(new WorkflowNotFoundError('no such run', id, 'old'));
      const done = isBegun ? [{ workflowTaskCompletedEventAttributes: { startedEventId: 3 } }] : [];
      const read = { workflowExecutionSignaledEventAttributes: { signalName: 'note' } };
      const input = { name: 'setWindow', args: payloads({ window: 3 }) };
      const events = [
        { workflowExecutionStartedEventAttributes: { input: payloads(args) } },
        ...[read, { workflowTaskStartedEventAttributes: {} }, ...done],
        { workflowExecutionUpdateAcceptedEventAttributes: { acceptedRequest: { input } } },
        ...(isCancelled ? [{ workflowExecutionCancelRequestedEventAttributes: {} }] : []),
        ...unread.map((signalName) => ({ workflowExecutionSignaledEventAttributes: { signalName } })),
      ];
      return Promise.resolve({ events: events.map((event, index) => ({ ...event, eventId: index + 1 })) });
    },
  });
  const start = (type: string, options: Omit<Started, 'type'>) => {
    const { workflowId, args, signal, signalArgs } = options;
    const asked = signal === undefined ? {} : { signal, signalArgs: signalArgs ?? [] };
    return Promise.resolve(void started.push({ type, workflowId, args, ...asked }));
  };
  const workflow = { getHandle, start, signalWithStart: start };
  return { client: { workflow } as unknown as Client, started, cancelled };
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
/** Of these arguments what the database does not have, and the window that was set last. */
const APPLIED = { task: '/toy', tempo: 0.5, window: 3 };
const note = (client: Client, ids: string[], name: string | null = 'toy') =>
  noteRestarts(
    { client, store: bench.store, nameOf: () => Promise.resolve(name), warn: (line) => warned.push(line) },
    ids.map(old),
  );

const beginAgainOn = (client: Client) => beginAgain({ client, store: bench.store, warn: (line) => warned.push(line) });

test.each([
  ['whose run has opened it', 'by-run', { runId: 'old' }, ARGS, APPLIED],
  ['whose run was handed over', 'by-carry', { runId: 'x' }, { ...ARGS, carry: {} }, APPLIED],
  ['whose run has not opened it yet', 'unopened', { runId: 'before' }, ARGS, { ...ARGS, window: 3 }],
  ['that the database does not know', 'unknown', null, ARGS, { ...ARGS, window: 3 }],
] as const)('a research %s is begun again with what is not applied yet', async (_, id, row, args, again) => {
  if (row) await insertResearch(bench.db, id, row);
  await note(server({ [id]: { args } }).client, [id]);
  expect(await noted(id)).toMatchObject({ runId: 'old' });
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
  expect(await noted(known)).toMatchObject({ type: 'job', runId: 'old', start: { args: again } });
  expect(await noted(unknown)).toMatchObject({ type: 'job', start: { args: asked } });
  const ended = server({ [known]: { status: 'TERMINATED' }, [unknown]: { runId: 'new' } });
  await beginAgainOn(ended.client);
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
    [cancelled]: { ...gone, status: 'TERMINATED' },
    [goesOn]: { status: 'TERMINATED' },
    [started]: { ...gone, runId: 'new' },
    [over]: { ...gone, runId: 'new', status: 'COMPLETED' },
  });
  await beginAgainOn(ended.client);
  expect(ended.started.map(({ workflowId }) => workflowId).filter((id) => ids.includes(id))).toEqual([
    cancelled,
    goesOn,
  ]);
  expect(ended.cancelled).toEqual([cancelled, started]);
  for (const id of ids) expect(await noted(id)).toBeUndefined();
});

test.each([
  ['that was ended for it', { status: 'TERMINATED' }, true],
  ['that ended by itself before', { status: 'COMPLETED' }, false],
  ['that somebody has begun again', { runId: 'new' }, false],
  ['whose later run was refused', { runId: 'new', status: 'FAILED' }, false],
  ['that a person has begun and ended', { runId: 'new', status: 'TERMINATED' }, false],
])(
  'a run of a research %s is begun again or left as it is, and its note is forgotten',
  async (name, run, isStarted) => {
    await note(server({ [name]: { args: ARGS } }).client, [name]);
    const { client, started } = server({ [name]: run });
    await beginAgainOn(client);
    const mine = started.filter(({ workflowId }) => workflowId === name);
    const args = [{ ...ARGS, window: 3 }];
    expect(mine).toEqual(isStarted ? [{ type: 'research', workflowId: name, args }] : []);
    expect(await noted(name)).toBeUndefined();
  },
);

test.each([
  ['paused', { phase: 'paused' }, {}, { signal: 'pause', signalArgs: [] }],
  [
    'stopping',
    { phase: 'stopping', reason: STOPPING_REASONS.drain },
    {},
    { signal: 'stop', signalArgs: [{ now: false }] },
  ],
  [
    'stopping-at-once',
    { phase: 'stopping', reason: STOPPING_REASONS.now },
    {},
    { signal: 'stop', signalArgs: [{ now: true }] },
  ],
  ['cancelled', { phase: 'running' }, { isCancelled: true }, { signal: 'stop', signalArgs: [{ now: true }] }],
  ['running', { phase: 'running' }, {}, {}],
] as const)('a research that was %s is so in its next run, from the first moment', async (id, row, run, asked) => {
  await insertResearch(bench.db, id, { runId: 'old', ...row });
  await note(server({ [id]: { args: ARGS } }).client, [id]);
  const { client, started } = server({ [id]: { status: 'TERMINATED', ...run } });
  await beginAgainOn(client);
  expect(started).toEqual([{ type: 'research', workflowId: id, args: [APPLIED], ...asked }]);
});

test.each([
  ['several', ['note', 'pause', 'note'], /before it had acted on 3 messages\. Send them again .*: note \(2\), pause$/],
  ['one', ['resume'], /before it had acted on 1 message\. Send it again .*: resume$/],
])('an alert names the messages that the ended run had not read: %s', async (id, unread, message) => {
  await insertResearch(bench.db, id, { runId: 'old' });
  await note(server({ [id]: { args: ARGS } }).client, [id]);
  await beginAgainOn(server({ [id]: { status: 'TERMINATED', unread } }).client);
  const alerts = [{ message: expect.stringMatching(message) as string }];
  expect(await readAlerts(bench.db, { researchId: id, limit: 9 })).toMatchObject(alerts);
  expect(warned).toContainEqual(expect.stringMatching(message));
});

test('an alert says so if the server has lost the history of the ended run', async () => {
  await insertResearch(bench.db, 'no-history', { runId: 'old' });
  await note(server({ 'no-history': { args: ARGS } }).client, ['no-history']);
  const { client, started } = server({ 'no-history': { status: 'TERMINATED', hasHistory: false } });
  await beginAgainOn(client);
  expect(started).toHaveLength(1);
  expect(await readAlerts(bench.db, { researchId: 'no-history', limit: 9 })).toMatchObject([
    { message: expect.stringContaining('may be lost: send again what still holds') as string },
  ]);
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
  await beginAgainOn(broken);
  expect(started.map(({ workflowId }) => workflowId)).toContain('well');
  expect(started.map(({ workflowId }) => workflowId)).not.toContain('refused');
  expect(warned).toEqual(
    expect.arrayContaining([
      expect.stringContaining('unreadable is of an older version'),
      expect.stringContaining('refused was ended'),
    ]),
  );
});
