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

/** Queries that resources require besides an id. */
const QUERIES: Record<string, string> = { 'research/:id/trials': '?n=4,5' };
/** Resources of a policy, which the research of this test does not have. */
const NOT_THERE = new Set(['research/:id/learning', 'research/:id/learning/:k']);

test("every resource can be read with the rights of the dashboard's own role", async () => {
  await insertStory(bench.db, 'story');
  const { get, reportedErrors } = await serve({ databaseUrl: bench.url });
  const answers = await Promise.all(
    ROUTES.map(async ({ path }) => {
      const id = encodeURIComponent(path.startsWith('trial/') ? 'story/4' : 'story');
      const { status, text } = await get(`api/v1/${path.replace(':id', id).replace(':k', '1')}${QUERIES[path] ?? ''}`);
      return [path, status, status >= 400 && !NOT_THERE.has(path) ? text : ''];
    }),
  );
  expect(answers).toEqual(ROUTES.map(({ path }) => [path, NOT_THERE.has(path) ? 404 : 200, '']));
  expect(reportedErrors).toEqual([]);
});
