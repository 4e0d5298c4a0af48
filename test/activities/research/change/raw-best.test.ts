import { eq } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { valueOfFigure } from '../../../../bench/dashboard/figures.ts';
import { reopenResearch } from '../../../../activities/research/reopen-research.ts';
import { changeTask } from '../../../../activities/research/change/change-task.ts';
import { settle } from '../../../../activities/outcome/settle.ts';
import { overrideVerdict } from '../../../../activities/steer.ts';
import { readSingleBest } from '../../../../db/reads/read-best.ts';
import { readSeries } from '../../../../db/reads/page/series/read-series.ts';
import { readResearch } from '../../../../db/reads/read-research.ts';
import { readPeriod } from '../../../../db/reads/report/read-period.ts';
import { readStatus } from '../../../../db/reads/read-status.ts';
import { researches, taskVersions, trials } from '../../../../db/schema.ts';
import { BASELINE, TASK, trialRow } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { outcomeOf } from '../../outcome/support/outcome-of.ts';
import { changeOn } from './support.ts';

const bench = useDatabase();
const prepare = changeOn(bench);
const client: { current?: pg.Client } = {};
beforeAll(async () => {
  client.current = new pg.Client({ connectionString: bench.url });
  await client.current.connect();
});
afterAll(() => client.current?.end());

/** Ends a search trial of a candidate with a value. */
async function run(
  researchId: string,
  n: number,
  { candidateId = `c${n}`, value }: { candidateId?: string; value: number },
) {
  await bench.store.trial.saveCandidate({ id: candidateId, immutableHash: 'i', files: { 'train.mjs': candidateId } });
  const row = trialRow(researchId, n, { candidateId, parentId: BASELINE });
  await bench.db.insert(trials).values(row);
  await bench.store.research.updateResearch(researchId, { lastN: n });
  await settle(bench.store, outcomeOf(researchId, n, { value }));
}

/** Number and value of the best run of a proposal, if status, page and SQL agree. */
async function rawBestOf(researchId: string): Promise<[number, number] | null> {
  const research = await readResearch(bench.db, { researchId });
  if (!research || !client.current) throw new Error('expected the research and a connection');
  const { gain } = await readStatus(bench.db, { research });
  const { rawBest } = await readSeries(bench.db, { research, axis: 'trial', buckets: 0, now: new Date() });
  expect([rawBest.n.at(-1) ?? null, rawBest.value.at(-1) ?? null]).toEqual([
    gain.raw?.n ?? null,
    gain.raw?.value ?? null,
  ]);
  const single = await readSingleBest(bench.db, { researchId, taskHash: research.taskHash, direction: 'minimize' });
  expect(single).toBe(gain.raw && `${researchId}/${gain.raw.n}`);
  expect(await valueOfFigure(client.current, 'rawBest.value', [researchId])).toBe(gain.raw?.value ?? null);
  return gain.raw && [gain.raw.n, gain.raw.value];
}

const overrule = (researchId: string, n: number, verdict: 'keep' | 'discard') =>
  overrideVerdict(bench.store, { researchId, n, verdict, reason: 'it leaks' });

test('a claim that a person takes back says so in the report, and is no progress', async () => {
  await prepare('back', 'm');
  for (const [index, value] of [1.8, 0.2].entries()) await run('back', index + 2, { value });
  await overrule('back', 2, 'keep');
  await overrule('back', 3, 'keep');
  const reportOf = async () => {
    const research = await readResearch(bench.db, { researchId: 'back' });
    if (!research) return expect.unreachable();
    const { claims, progress } = await readPeriod(bench.db, {
      research,
      from: new Date(0),
      now: new Date(),
      isWhole: true,
    });
    const taken = claims.filter(({ reason }) => reason.startsWith('taken back by a person; '));
    return { to: progress?.to, taken: taken.map(({ ofTrial }) => ofTrial) };
  };
  expect(await reportOf()).toEqual({ to: 0.2, taken: [] });
  await overrule('back', 3, 'discard');
  expect(await reportOf()).toEqual({ to: 1.8, taken: [3] });
  await overrule('back', 3, 'keep');
  expect(await reportOf()).toMatchObject({ to: 0.2, taken: [] });
});

test('if a person discards the best run, the next best takes its place in status, page and SQL', async () => {
  await prepare('over', 'm');
  for (const [index, value] of [1.8, 1.5, 0.4, 0.2, 1.9].entries()) await run('over', index + 2, { value });
  expect(await rawBestOf('over')).toEqual([5, 0.2]);
  await overrule('over', 5, 'discard');
  expect(await rawBestOf('over')).toEqual([4, 0.4]);
  await overrule('over', 4, 'discard');
  expect(await rawBestOf('over')).toEqual([3, 1.5]);
  // A further run of a discarded candidate counts as little as its first.
  await run('over', 7, { candidateId: 'c5', value: 0.1 });
  expect(await rawBestOf('over')).toEqual([3, 1.5]);
  await run('over', 8, { value: 1.4 });
  expect(await rawBestOf('over')).toEqual([8, 1.4]);
  await overrule('over', 5, 'keep');
  expect(await rawBestOf('over')).toEqual([7, 0.1]);
});

test('a change of the bounds takes the best run away, and their return gives it back', async () => {
  const input = await prepare('bounded', 'm');
  const setMin = (min: number) =>
    bench.db
      .update(taskVersions)
      .set({ task: { ...TASK, metric: { ...TASK.metric, min } } })
      .where(eq(taskVersions.hash, 'bounded'));
  for (const [index, value] of [1.8, -3, 0.5].entries()) await run('bounded', index + 2, { value });
  // Another candidate is the incumbent, so that the gate stays.
  await overrule('bounded', 4, 'keep');
  expect(await rawBestOf('bounded')).toEqual([3, -3]);
  await setMin(0);
  expect(await changeTask(bench.store, input)).toMatchObject({ keptIncumbent: true });
  expect(await rawBestOf('bounded')).toEqual([4, 0.5]);
  expect(await changeTask(bench.store, { ...input, taskHash: 'task-1' })).toMatchObject({ keptIncumbent: true });
  expect(await rawBestOf('bounded')).toEqual([3, -3]);
});

test('a new gate keeps the verdicts of people, and has no best run before its first', async () => {
  const input = await prepare('anew', 'other-metric');
  await run('anew', 2, { value: 1 });
  await overrule('anew', 2, 'discard');
  expect(await changeTask(bench.store, input)).toEqual({ keptIncumbent: false });
  expect(await rawBestOf('anew')).toBeNull();
  const [row] = await bench.db.select().from(researches).where(eq(researches.id, 'anew'));
  expect(row?.gate.discardedByPerson).toEqual(['c2']);
});

test('a research of 0.2 gets its best run again when it is opened', async () => {
  await prepare('old', 'm');
  for (const [index, value] of [1.8, 0.4, 1.9].entries()) await run('old', index + 2, { value });
  await overrule('old', 3, 'discard');
  const { discardedByPerson, ...gate } = (await bench.store.research.findResearch('old'))!.gate;
  expect(discardedByPerson).toEqual(['c3']);
  await bench.store.research.updateResearch('old', { gate: { ...gate, rawBest: null } });
  await reopenResearch(bench.store, { researchId: 'old', sha256: (text) => text });
  expect(await rawBestOf('old')).toEqual([2, 1.8]);
});
