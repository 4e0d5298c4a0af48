import { afterAll, beforeAll, expect, it } from 'vitest';
import { researches, trials } from '../../db/schema.ts';
import { insertStory } from './support/lineage.ts';
import { sharedServer, type Lineage } from './support/database.ts';
import { runOn } from './support/cli.ts';

const HIDDEN = [1_357_924_680, 1_246_813_579];

let story: Lineage;

beforeAll(async () => {
  story = await sharedServer().open();
  await insertStory(story.db, 'toy');
  await story.db.update(trials).set({ evaluatorSeed: HIDDEN[0], proposerSeed: HIDDEN[1] });
  await story.db.update(researches).set({ seedRoot: 'pair' });
});
afterAll(() => story.close());

it.each([
  [['status']],
  [['status', '--json']],
  [['list', '--json']],
  [['log', 'toy']],
  [['log', 'toy', '--json']],
  [['show', 'toy/4']],
  [['show', 'toy/4', '--json']],
  [['best', 'toy']],
  [['best', 'toy', '--json']],
  [['export', 'curves', 'toy']],
])('%j shows no seed of an evaluator', async (argv) => {
  const { code, stdout, stderr } = await runOn(story.url, argv);
  expect(code).toBe(0);
  for (const seed of HIDDEN) expect(stdout + stderr).not.toContain(String(seed));
});
