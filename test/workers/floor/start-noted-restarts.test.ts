import { expect, test } from 'vitest';
import { readAlerts } from '../../../db/reads/status/read-alerts.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';
import { APPLIED, ARGS, floorOn, server } from './support.ts';

const bench = useDatabase();
const { warned, note, begin, noted } = floorOn(bench);

test('a cancelled job is cancelled once it is begun again; a run that a person started since is not', async () => {
  const ids = [
    'command/toy/cancelled',
    'command/toy/started',
    'command/toy/over',
    'command/toy/goes-on',
    'command/toy/by-a-person',
  ];
  const asked = { args: { task: '/toy', command: 'true' } };
  const [cancelled = '', started = '', over = '', goesOn = '', byPerson = ''] = ids;
  const gone = { ...asked, isCancelled: true };
  await note(
    server({ [cancelled]: gone, [started]: gone, [over]: gone, [goesOn]: asked, [byPerson]: gone }).client,
    ids,
  );
  const ended = server({
    [cancelled]: { ...gone, status: 'TERMINATED' },
    [goesOn]: { status: 'TERMINATED' },
    [started]: { ...gone, runId: 'new', memo: { restartOf: 'old' } },
    [over]: { ...gone, runId: 'new', status: 'COMPLETED' },
    [byPerson]: { ...gone, runId: 'new' },
  });
  await begin(ended.client);
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
    await begin(client);
    const mine = started.filter(({ workflowId }) => workflowId === name);
    const args = [{ ...ARGS, window: 3 }];
    expect(mine).toEqual(isStarted ? [{ type: 'research', workflowId: name, args }] : []);
    expect(await noted(name)).toBeUndefined();
  },
);

test.each([
  ['paused', { signals: [['pause']] }, { paused: true }],
  ['paused-unread', { unread: ['pause'] }, { paused: true }],
  ['paused-by-the-run-before', { args: { ...ARGS, carry: { paused: true, stopping: null } } }, { paused: true }],
  ['resumed-unread', { args: { ...ARGS, carry: { paused: true } }, unread: ['resume'] }, {}],
  ['stopping', { signals: [['stop']] }, { stopping: 'drain' }],
  ['stopping-at-once', { signals: [['stop', { now: true }], ['stop'], ['resume']] }, { stopping: 'now' }],
  ['stopped-unread', { unread: ['stop'] }, { stopping: 'drain' }],
  ['cancelled', { isCancelled: true }, { stopping: 'now' }],
  ['running', {}, {}],
] as const)('a research that was %s is so in its next run, from the first moment', async (id, run, asked) => {
  await insertResearch(bench.db, id, { runId: 'old', phase: 'running' });
  const before = { args: ARGS, ...run };
  // Messages that came after the arguments were noted count, too.
  await note(server({ [id]: { args: before.args } }).client, [id]);
  const { client, started } = server({ [id]: { status: 'TERMINATED', ...before } });
  await begin(client);
  expect(started).toEqual([{ type: 'research', workflowId: id, args: [{ ...APPLIED, ...asked }] }]);
});

test('a research that the database does not know yet stays paused, too', async () => {
  const { client } = server({ unknown: { args: ARGS, unread: ['pause'] } });
  await note(client, ['unknown']);
  expect((await noted('unknown'))?.start.args).toEqual({ ...ARGS, window: 3, paused: true });
});

test.each([
  ['a research', 'ended-by-hand'],
  ['a job', 'server/toy/ended-by-hand'],
])('%s that a person terminated after it was noted stays ended', async (_, id) => {
  if (!id.includes('/')) await insertResearch(bench.db, id, { runId: 'old' });
  await note(server({ [id]: { args: ARGS } }).client, [id]);
  const { client, started } = server({ [id]: { status: 'TERMINATED', terminatedFor: 'enough', unread: ['note'] } });
  await begin(client);
  expect(started).toEqual([]);
  expect(await noted(id)).toBeUndefined();
  expect(await readAlerts(bench.db, { researchId: id, limit: 9 })).toEqual([]);
});

test.each([
  [
    'several',
    ['note', 'inject', 'note'],
    /before it had acted on 3 messages\. Send them again .*: note \(2\), inject$/,
  ],
  ['one', ['stop', 'changeTask'], /before it had acted on 1 message\. Send it again .*: changeTask$/],
])('an alert names the messages that the ended run had not read: %s', async (id, unread, message) => {
  await insertResearch(bench.db, id, { runId: 'old' });
  await note(server({ [id]: { args: ARGS } }).client, [id]);
  await begin(server({ [id]: { status: 'TERMINATED', unread } }).client);
  const alerts = [{ message: expect.stringMatching(message) as string }];
  expect(await readAlerts(bench.db, { researchId: id, limit: 9 })).toMatchObject(alerts);
  expect(warned).toContainEqual(expect.stringMatching(message));
});

test('an alert says so if the server has lost the history of the ended run', async () => {
  await insertResearch(bench.db, 'no-history', { runId: 'old' });
  await note(server({ 'no-history': { args: ARGS } }).client, ['no-history']);
  const { client, started } = server({ 'no-history': { status: 'TERMINATED', hasHistory: false } });
  await begin(client);
  expect(started).toHaveLength(1);
  expect(await readAlerts(bench.db, { researchId: 'no-history', limit: 9 })).toMatchObject([
    { message: expect.stringContaining('may be lost: send again what still holds') as string },
  ]);
});
