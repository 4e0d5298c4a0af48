import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { research } from '../../../../dashboard/server/routes/research.ts';
import { researches } from '../../../../dashboard/server/routes/researches.ts';
import { series } from '../../../../dashboard/server/routes/series.ts';
import { tree } from '../../../../dashboard/server/routes/tree.ts';
import { insertStory } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { readData } from './read-route.ts';

const bench = useDatabase();
const input = { id: 'moved' };

/** Stores a research whose proposals ran under another metric than its present one, and a baseline measured again. */
beforeAll(async () => {
  await insertStory(bench.db, 'moved');
  await bench.db.execute(sql`
    insert into task_versions
      (hash, name, task, yaml, stage_hash, immutable_hash, evaluator_hash, metric_key, mutable_paths)
    select 'task-0', name, task, yaml, 's0', 'i', 'e', 'another', mutable_paths
    from task_versions where hash = 'task-1'`);
  await bench.db.execute(sql`update trials set task_hash = 'task-0' where research_id = 'moved' and n >= 4`);
  // The unmodified version was claimed again before the metric changed.
  await bench.db.execute(sql`
    insert into claims (research_id, seq, candidate_id, of_trial, value, sd, n, reason, by)
    select research_id, 2, candidate_id, null, 99, null, 1, 'back', by from claims where research_id = 'moved'`);
});

test('the curve and the list show no claim of another metric', async () => {
  const { claims } = await readData(bench.db, series, { input });
  expect(claims.n).toEqual([null]);
  expect(claims.value).toEqual([expect.closeTo(2.2)]);
  const { researches: found } = await readData(bench.db, researches);
  expect(found[0]?.spark).toEqual({ n: [1], value: [expect.closeTo(2.2) as number] });
});

test('a claim of another metric says so in the list of all claims', async () => {
  const { claims } = await readData(bench.db, research, { input });
  expect(claims.map(({ reason }) => reason)).toEqual([
    'by an earlier metric: better than 2.2',
    'by an earlier metric: back',
  ]);
});

test('a ruling on a value of another metric has no gain', async () => {
  const { rulings } = await readData(bench.db, research, { input });
  expect(rulings.map(({ n, gain }) => ({ n, gain }))).toEqual([
    { n: 5, gain: null },
    { n: 4, gain: null },
  ]);
});

test('a candidate that only another metric measured has no value in the lineage', async () => {
  const { nodes } = await readData(bench.db, tree, { input });
  const values = new Map(nodes.map(({ n, value }) => [n, value]));
  expect(values.get(1)).toBeCloseTo(2.2);
  expect(values.get(4)).toBeNull();
});
