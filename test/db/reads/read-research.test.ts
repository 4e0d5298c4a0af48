import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { readResearch, readResearches } from '../../../db/reads/read-research.ts';
import { readStatus } from '../../../db/reads/read-status.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();

const statusOf = async (researchId: string) => {
  const research = await readResearch(bench.db, { researchId });
  return research && (await readStatus(bench.db, { research }));
};

test('a research whose model endpoint is down is waiting, even before its workflow records that', async () => {
  await insertResearch(bench.db, 'down', { phase: 'running', endpointDown: 'connection refused' });
  const waiting = { phase: 'waiting', reason: 'connection refused' };
  expect(await statusOf('down')).toMatchObject(waiting);
  expect(await readResearches(bench.db)).toMatchObject({ sound: [waiting], damaged: [] });
});

test('a paused or ended research keeps its phase while the endpoint is down', async () => {
  const down = { endpointDown: 'connection refused' };
  await insertResearch(bench.db, 'paused', { ...down, phase: 'paused', reason: 'paused by a person' });
  await insertResearch(bench.db, 'stopped', { ...down, phase: 'stopped', reason: 'checked' });
  expect(await statusOf('paused')).toMatchObject({ phase: 'paused', reason: 'paused by a person' });
  expect(await statusOf('stopped')).toMatchObject({ phase: 'stopped', reason: 'checked' });
});

test.each([
  ['gate', {}, "a gate's state of version 1"],
  ['gate', null, "a gate's state of version 1"],
  ['gate', { version: 1, subjects: 7 }, "a gate's state of version 1"],
  ['gate_config', {}, "a gate's settings"],
])('a damaged %s (%j) is named, and does not affect other researches', async (column, value, expected) => {
  const id = `bad ${column} ${JSON.stringify(value)}`;
  await insertResearch(bench.db, id);
  await bench.db.execute(
    sql`update researches set ${sql.identifier(column)} = ${JSON.stringify(value)}::jsonb where id = ${id}`,
  );
  const message =
    `researches ${id} is damaged: expected ${expected} in the column ${column}, got ${JSON.stringify(value)}; ` +
    'restore the row from a backup';
  await expect(readResearch(bench.db, { researchId: id })).rejects.toThrow(message);
  await expect(bench.store.research.findResearch(id)).rejects.toThrow(message);
  const { sound, damaged } = await readResearches(bench.db);
  expect(damaged).toContainEqual({ id, message });
  expect(sound.map((research) => research.id)).toContain('down');
});
