import { expect, test } from 'vitest';
import { seedResearch } from '../../../../bench/support/seed/seed-research.ts';
import { Researches } from '../../../../dashboard/api/researches.ts';
import { researches } from '../../../../dashboard/server/routes/researches.ts';
import { insertResearch, insertStory } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { readData, NOW, untilReadable } from './read-route.ts';

const bench = useDatabase();

test('every research is listed with its best, its gain and its spend, the running ones first', async () => {
  await insertStory(bench.db, 'story');
  await bench.store.research.updateResearch('story', { phase: 'stopped' });
  await insertResearch(bench.db, 'fresh');
  await insertResearch(bench.db, 'check/toy/1');
  const found = Researches.parse(await readData(bench.db, researches));
  expect(found.researches.map(({ id }) => id)).toEqual(['fresh', 'story']);
  const [fresh, story] = found.researches;
  expect(fresh).toMatchObject({ baseline: null, best: null, gain: null, spark: { n: [], value: [] } });
  expect(story).toMatchObject({
    task: 'toy',
    phase: 'stopped',
    trials: { ended: 5, running: 1 },
    best: { value: 1.5 },
    metric: { name: 'loss', direction: 'minimize', unit: 'bits', optimum: null },
    spend: { usd: 0, tokens: 0, slotSeconds: 21 },
  });
  expect(story?.gain?.value).toBeCloseTo(0.7);
  // Three runs of 2.0, 2.2 and 2.4: t with two degrees of freedom.
  expect(story?.baseline).toMatchObject({ n: 3 });
  expect(story?.baseline?.value).toBeCloseTo(2.2);
  expect(story?.baseline?.low).toBeCloseTo(2.2 - (4.302653 * 0.2) / Math.sqrt(3), 5);
  expect(story?.spark).toEqual({ n: [1, 4], value: [2.2, 1.5].map((value) => expect.closeTo(value) as number) });
});

/** Compares two levels of attention: warnings come first. */
function compareLevels(a: string, b: string): number {
  if (a === b) return 0;
  return a === 'warning' ? -1 : 1;
}

test('attention is listed over all researches and hosts, with the command to copy', async () => {
  await seedResearch(bench.db, { id: 'trouble', trials: 60, trouble: true, now: NOW });
  await seedResearch(bench.db, { id: 'learns', trials: 150, learns: true, trouble: true, now: NOW });
  const { attention, states } = await readData(bench.db, researches);
  const lines = attention.map(({ researches, level, title }) => `${level} ${researches.join()} ${title}`);
  expect(lines).toEqual(
    expect.arrayContaining([
      'warning learns,trouble The proposer gets no answer',
      'warning learns Learning is halted',
      'warning  Host gpu-2 is in quarantine',
    ]),
  );
  expect(lines).not.toContainEqual(expect.stringContaining('Alert'));
  expect(states).toEqual([]);
  expect(new Set(lines).size).toBe(lines.length);
  expect(attention.map(({ level }) => level)).toEqual(attention.map(({ level }) => level).toSorted(compareLevels));
  const halted = attention.find(({ title }) => title === 'Learning is halted');
  expect(halted?.commands).toEqual([expect.stringMatching(/^npx perpetua policy rollback learns \d+$/)]);
});

test('the time for which an open transaction has held back the newest events is reported', async () => {
  await untilReadable(bench.db);
  expect((await readData(bench.db, researches)).heldBackSeconds).toBe(0);
  await bench.db.transaction(async (open) => {
    await open.execute(`insert into alerts (research_id, message) values ('story', 'still open')`);
    await bench.store.event.insertEvents([{ kind: 'window', researchId: 'fresh', data: { from: null, window: 1 } }]);
    const later = new Date(Date.now() + 60_000);
    const { heldBackSeconds } = await readData(bench.db, researches, { now: later });
    expect(heldBackSeconds).toBeGreaterThan(59);
  });
});
