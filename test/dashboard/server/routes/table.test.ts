import { expect, test } from 'vitest';
import { ROUTES } from '../../../../dashboard/server/routes/table.ts';
import { insertStory } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { useDashboard } from '../support.ts';

const bench = useDatabase();
const serve = useDashboard();

test('no two resources have the same path', () => {
  const paths = ROUTES.map(({ path }) => path);
  expect(paths).toEqual([...new Set(paths)]);
});

test("every resource is read with the rights of the dashboard's own role", async () => {
  await insertStory(bench.db, 'story');
  const { get, said } = await serve({ databaseUrl: bench.url });
  for (const { path } of ROUTES) {
    const id = path.startsWith('trial/') ? 'story/4' : 'story';
    const told = await get(`api/v1/${path.replace(':id', encodeURIComponent(id))}`);
    // Some want more than an id, which is refused before anything is read.
    expect([path, told.status, said]).toEqual([path, expect.toBeOneOf([200, 400]), []]);
  }
});
