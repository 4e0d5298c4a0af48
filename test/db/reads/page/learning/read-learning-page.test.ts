import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { baseline } from '../../../../../domain/gate/gate.ts';
import { seedResearch } from '../../../../../bench/support/seed/seed-research.ts';
import { Learning, UpdateTrials } from '../../../../../dashboard/api/learning.ts';
import { readLearning } from '../../../../../db/reads/policy/read-learning.ts';
import { planOf } from '../../../../../db/reads/policy/plan-of.ts';
import { readLearningPage } from '../../../../../db/reads/page/learning/read-learning-page.ts';
import { readUpdatePage } from '../../../../../db/reads/page/learning/read-update-page.ts';
import { useReader } from '../support.ts';

const bench = useReader(async (db) => {
  await seedResearch(db, { id: 'learns', trials: 400, learns: true });
  await seedResearch(db, { id: 'halted', trials: 200, learns: true, trouble: true });
  await seedResearch(db, { id: 'toy', trials: 30 });
});

async function pageOf(id: string) {
  const page = await readLearningPage(bench.reader, { research: await bench.researchOf(id) });
  if (!page) throw new Error('Expected a page of learning, found none');
  return page;
}

test('the page has the values of the status, and each update the rewards of its batch', async () => {
  const page = await pageOf('learns');
  const research = await bench.researchOf('learns');
  const view = await readLearning(bench.reader, { researchId: 'learns', plan: planOf(research) });
  const { version, pinned, halted, batch } = page;
  expect({ version, pinned, halted, batch }).toEqual({
    version: view?.version,
    pinned: view?.pinned,
    halted: view?.halted,
    batch: view?.batch,
  });
  expect(page.algorithm).toBe('grpo');
  expect(page).toMatchObject({ origin: 'smollm2-135m', heirs: [] });
  expect(page.updates.map(({ k }) => k)).toEqual(page.updates.map((_, index) => index + 1));
  for (const { k, mean, samples } of view?.rewards ?? [])
    expect(page.updates.find((update) => update.k === k)).toMatchObject({ reward: mean, samples });
  expect(page.updates.filter(({ inForce }) => inForce).map(({ k }) => k)).toEqual([version]);
});

test('gates that fired have their reasons, and excluded rollouts are counted', async () => {
  const { updates } = await pageOf('learns');
  expect(updates[6]?.gates).toEqual([
    { metric: 'entropy', then: 'adjust', words: expect.stringContaining('entropyCoefficient') as string },
  ]);
  expect(updates[3]).toMatchObject({ skipped: 1, seconds: 18.5, gates: [] });
  expect(updates[2]).toMatchObject({ held: true });
});

test('rewards have intervals that follow from their samples, and references the baseline of the research', async () => {
  const { updates } = await pageOf('learns');
  const { rows } = await bench.db.execute<{ k: number; least: number }>(sql`
    select u.k, stddev_samp(t.reward) / sqrt(count(t.reward)) as least
    from updates u join trials t on t.id in (select jsonb_array_elements_text(u.batch))
    where u.research_id = 'learns' group by u.k having count(t.reward) > 1 order by u.k`);
  expect(rows.length).toBeGreaterThan(10);
  // Student's t is above 1.96, and copies add to the error.
  for (const { k, least } of rows) expect(updates[k - 1]?.error).toBeGreaterThanOrEqual(1.96 * least);
  const research = await bench.researchOf('learns');
  const search = { ...research.task.search, reward: { name: 'improvement' as const, scale: 'absolute' as const } };
  const references = [
    { name: 'named', value: 0.4, baseline: 3 },
    { name: 'bare', value: 0.1 },
  ];
  const page = await readLearningPage(bench.reader, {
    research: { ...research, task: { ...research.task, search, references } },
  });
  const mean = baseline(research.gate).mean ?? NaN;
  expect(page?.references).toEqual([
    // The metric is minimised.
    { name: 'named', value: expect.closeTo(0.4 + mean - 3, 10) as number, shift: mean - 3, stays: null },
    { name: 'bare', value: 0.1, shift: 0, stays: 'it names no baseline' },
  ]);
});

test('the commands fit the state: halted, pinned or learning', async () => {
  const commandsOf = async (id: string) => (await pageOf(id)).commands.map(({ command }) => command);
  const { version } = await pageOf('learns');
  expect(await commandsOf('learns')).toEqual([
    'npx perpetua policy list learns',
    `npx perpetua policy show learns ${version}`,
    `npx perpetua policy pin learns ${version}`,
    `npx perpetua policy rollback learns ${version - 1}`,
  ]);
  const halted = await pageOf('halted');
  expect(halted.halted).toContain('entropy');
  expect(halted.commands).toContainEqual({
    label: 'learn on from this version',
    command: `npx perpetua policy rollback halted ${halted.version}`,
  });
  await bench.db.execute(sql`update policies set pinned = true where research_id = 'learns'`);
  expect(await commandsOf('learns')).toContain('npx perpetua policy pin learns --off');
});

test('at most five hundred updates are sent, the last ones', async () => {
  await bench.db.execute(sql`
    insert into updates (research_id, k, state, batch)
    select 'halted', i, 'empty', '[]' from generate_series(1001, 1600) i`);
  const { updates } = await pageOf('halted');
  expect([updates.length, updates[0]?.k, updates.at(-1)?.k]).toEqual([500, 1101, 1600]);
  expect(updates[0]).toMatchObject({ samples: 0, reward: null, legal: null, checkpoint: null, seconds: null });
  await bench.db.execute(sql`delete from updates where k > 1000`);
});

test('a research without a policy has no page, and every answer matches the contract', async () => {
  expect(await readLearningPage(bench.reader, { research: await bench.researchOf('toy') })).toBeUndefined();
  for (const id of ['learns', 'halted']) {
    const page = await pageOf(id);
    expect(Learning.parse(page)).toEqual(page);
  }
});

test('a version names the trials that made its weights, and counts the trials that it drew', async () => {
  const research = await bench.researchOf('learns');
  const read = await readUpdatePage(bench.reader, { research, k: 4 });
  const { rows } = await bench.db.execute<{ id: string }>(sql`
    select trial_id as id from rollouts where research_id = 'learns' and k = 4 order by seq`);
  expect(read?.batch.map(({ trialId }) => trialId)).toEqual(rows.map(({ id }) => id));
  expect(read?.batch.filter(({ skipped }) => skipped !== null)).toMatchObject([{ skipped: 'no spread in its group' }]);
  expect(read?.batch.every(({ version }) => version === 3)).toBe(true);
  expect(read?.drawn).toBe(16);
  expect(read?.places).toEqual([
    { place: 1, samples: 16, mean: 0.5, least: 0.5, most: 0.5 },
    { place: 2, samples: 16, mean: 1.25, least: 1.25, most: 1.25 },
    { place: 3, samples: 16, mean: expect.closeTo(0.1, 12) as number, least: 0.1, most: 0.1 },
  ]);
  expect(UpdateTrials.parse(read)).toEqual(read);
});

test('version 0 was made by no trial, and an unknown version has no page', async () => {
  const research = await bench.researchOf('learns');
  expect(await readUpdatePage(bench.reader, { research, k: 0 })).toEqual({
    shares: null,
    places: [],
    batch: [],
    drawn: 16,
  });
  expect(await readUpdatePage(bench.reader, { research, k: 999 })).toBeUndefined();
});
