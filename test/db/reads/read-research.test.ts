import { expect, test } from 'vitest';
import { readResearch, readResearches } from '../../../db/reads/read-research.ts';
import { readStatus } from '../../../db/reads/read-status.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { useDatabase } from '../queries/support.ts';

const bench = useDatabase();

const statusOf = async (researchId: string) => {
  const research = await readResearch(bench.db, { researchId });
  return research && (await readStatus(bench.db, { research }));
};

test('a research whose model endpoint is down waits, though its workflow has not heard of it yet', async () => {
  await insertResearch(bench.db, 'down', { phase: 'running', endpointDown: 'connection refused' });
  const waiting = { phase: 'waiting', reason: 'connection refused' };
  expect(await statusOf('down')).toMatchObject(waiting);
  expect(await readResearches(bench.db)).toMatchObject([waiting]);
});

test('one that a person paused or that has ended is told as that', async () => {
  const down = { endpointDown: 'connection refused' };
  await insertResearch(bench.db, 'paused', { ...down, phase: 'paused', reason: 'paused by a person' });
  await insertResearch(bench.db, 'stopped', { ...down, phase: 'stopped', reason: 'checked' });
  expect(await statusOf('paused')).toMatchObject({ phase: 'paused', reason: 'paused by a person' });
  expect(await statusOf('stopped')).toMatchObject({ phase: 'stopped', reason: 'checked' });
});
