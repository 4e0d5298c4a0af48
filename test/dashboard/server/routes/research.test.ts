import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { seedResearch } from '../../../../bench/support/seed/seed-research.ts';
import { Research } from '../../../../dashboard/api/research.ts';
import { research } from '../../../../dashboard/server/routes/research.ts';
import { readResearch } from '../../../../db/reads/read-research.ts';
import { readStatus } from '../../../../db/reads/read-status.ts';
import { insertStory } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { readRoute, readData, NOW } from './read-route.ts';

const bench = useDatabase();
const pageOf = async (id: string) => Research.parse(await readData(bench.db, research, { input: { id } }));

test('an unknown research has no page', async () => {
  expect(await readRoute(bench.db, research, { input: { id: 'nobody' } })).toBeUndefined();
});

test('the status is that of the command', async () => {
  await insertStory(bench.db, 'story');
  const found = await readResearch(bench.db, { researchId: 'story' });
  if (!found) throw new Error('expected the research');
  const [{ status }, same] = [await pageOf('story'), await readStatus(bench.db, { research: found })];
  // The waiting time grows between the two reads.
  const timeless = (view: typeof status) => ({ ...view, queue: view.queue && { ...view.queue, seconds: 0 } });
  expect(timeless(status)).toEqual(timeless(same));
});

test('claims have their interval, their hypothesis and the number of trials that had ended then', async () => {
  await bench.db.execute(sql`update claims set at = '2026-11-01T12:00:45.5Z' where research_id = 'story'`);
  const { claims } = await pageOf('story');
  expect(claims).toHaveLength(1);
  expect(claims[0]).toMatchObject({
    seq: 1,
    ofTrial: 4,
    value: 1.5,
    n: 1,
    ended: 4,
    by: 'gate',
    hypothesis: 'LR 0.1 → 0.05',
    reason: 'better than 2.2',
  });
  // The interval of one run, with the sd of the baseline's three runs.
  expect(claims[0]?.high).toBeCloseTo(1.5 + 4.302653 * 0.2, 5);
});

test('rulings have their gain, include failures, and start with the newest', async () => {
  const { rulings } = await pageOf('story');
  expect(rulings.map(({ n, verdict, status, gain }) => ({ n, verdict, status, gain }))).toEqual([
    { n: 5, verdict: 'discard', status: 'crashed', gain: null },
    { n: 4, verdict: 'keep', status: 'completed', gain: expect.closeTo(0.7) as number },
  ]);
});

test('the newest idea has a diff against its parent', async () => {
  const { idea } = await pageOf('story');
  expect(idea).toMatchObject({ trialId: 'story/5', hypothesis: 'LR 0.05 → 9\x1b[31m', cut: false });
  expect(idea?.diff.split('\n')).toEqual(expect.arrayContaining(['-const LR = 0.05;', '+const LR = 9;']));
});

test('running trials have the end of their curve and the share of their budget', async () => {
  await seedResearch(bench.db, { id: 'runs', trials: 80, now: NOW });
  const { running, learns, phases, next } = await pageOf('runs');
  expect(running).toHaveLength(10);
  const found = running.find(({ curve }) => curve.step.length > 3);
  expect(found?.stage).toBe('running');
  expect(found?.share).toBeCloseTo((found?.curve.step.at(-1) ?? 0) / 1000);
  expect(running.some(({ stage }) => stage === 'waiting for a slot' || stage === 'proposing')).toBe(true);
  expect(learns).toBe(false);
  expect(phases.map(({ phase }) => phase)).toEqual(
    ['starting', 'running', 'waiting', 'running', 'paused', 'running'].slice(1),
  );
  expect(phases.at(-1)?.to).toBeNull();
  for (const [index, { to }] of phases.slice(0, -1).entries()) expect(to).toBe(phases[index + 1]?.from);
  expect(
    next.some((line) =>
      /^New proposals start while fewer than 10 trials are under way; \d+ of 100 trials are left\.$/.test(line),
    ),
  ).toBe(true);
  expect(next.at(-1)).toMatch(/^The limit of trials is reached in .* at the pace of the last 24 h\.$/);
});

test('a paused research is a state with the command that resumes it, and needs nobody', async () => {
  await bench.store.research.updateResearch('runs', { phase: 'paused' });
  const { attention, states, commands, next } = await pageOf('runs');
  expect(attention).toEqual([]);
  expect(states.filter(({ title }) => title === 'The research is paused')).toEqual([
    expect.objectContaining({ researches: ['runs'], commands: ['npx perpetua resume runs'] }),
  ]);
  expect(commands).toContainEqual({ label: 'go on', command: 'npx perpetua resume runs' });
  expect(next[0]).toBe('No new trial starts until you resume the research.');
});

test('a refused message is news in the list of events, and needs nobody', async () => {
  const message = 'the signal inject was left out';
  await bench.store.research.insertAlert({ researchId: 'runs', message });
  const { attention, events } = await pageOf('runs');
  expect(attention).toEqual([]);
  expect(events[0]).toMatchObject({ kind: 'alert', level: 'notice', n: null, text: message });
});

test('invalid numbers and texts do not break the page', async () => {
  await seedResearch(bench.db, { id: 'hostile', trials: 100, hostile: true, now: NOW });
  const { idea } = await pageOf('hostile');
  // Adds a file with a line of a million characters to the newest candidate only.
  await bench.db.execute(sql`
    update candidates set files = files || jsonb_build_object('long.txt', (
      select hash from blobs where octet_length(content) > 1000000 limit 1))
    where id = (select candidate_id from trials where id = ${idea?.trialId ?? ''})`);
  const page = await pageOf('hostile');
  expect(page.running.some(({ curve }) => curve.value.includes(null))).toBe(true);
  expect(page.idea?.cut).toBe(true);
  expect(page.idea?.diff.length).toBeLessThan(200_000);
});
