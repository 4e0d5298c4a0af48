import { expect, test } from 'vitest';
import { Events } from '../../../../dashboard/api/events.ts';
import { events } from '../../../../dashboard/server/routes/events.ts';
import { insertResearch } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { readData, untilReadable } from './read-route.ts';

const bench = useDatabase();
const eventsOf = async (input: Record<string, string>) => Events.parse(await readData(bench.db, events, { input }));

test('events without a cursor are the newest, with a cursor those after it, oldest first', async () => {
  await insertResearch(bench.db, 'told');
  for (const window of [1, 2, 3, 4])
    await bench.store.event.insertEvents([{ kind: 'window', researchId: 'told', data: { from: null, window } }]);
  await untilReadable(bench.db);
  const newest = await eventsOf({ research: 'told', limit: '2' });
  expect(newest.events.map(({ text }) => text)).toEqual(['window 3', 'window 4']);
  await bench.store.event.insertEvents([
    { kind: 'host-out', researchId: null, data: { host: 'box', why: 'gone' } },
    { kind: 'trial-started', researchId: 'told', n: 1, data: { host: 'box', slot: 'box/0' } },
  ]);
  await untilReadable(bench.db);
  const more = await eventsOf({ after: newest.cursor });
  expect(more.events).toMatchObject([{ research: null, level: 'warning', text: 'host box is in quarantine: gone' }]);
});

test('a level leaves out lower levels, and does not count them', async () => {
  const all = await eventsOf({ level: 'detail' });
  expect(all.events.map(({ level }) => level)).toEqual(['info', 'info', 'info', 'info', 'warning', 'detail']);
  const loud = await eventsOf({ level: 'warning', limit: '1' });
  expect(loud.events.map(({ kind }) => kind)).toEqual(['host-out']);
});

test('the cursor stays without a new event, and a cursor of another database starts over', async () => {
  const { cursor } = await eventsOf({ level: 'detail' });
  expect(await eventsOf({ after: cursor, level: 'detail' })).toEqual({ events: [], cursor });
  const anew = await eventsOf({ after: '18446744073709551000:1', research: 'told' });
  expect(anew.events).toHaveLength(4);
});
