import { beforeAll, expect, test } from 'vitest';
import { readSingleBest } from '../../../../db/reads/read-best.ts';
import { readDescent } from '../../../../db/reads/policy/read-descent.ts';
import { readEvaluatedVersions } from '../../../../db/reads/policy/read-evaluated-versions.ts';
import { readLog } from '../../../../db/reads/read-log.ts';
import { readResearch } from '../../../../db/reads/read-research.ts';
import { policyBases, taskVersions, wantedRuns } from '../../../../db/schema.ts';
import { BASELINE, hashOf, insertResearch, storeTrials, TASK, trialRow } from '../../../cli/support/lineage.ts';
import { CHECKPOINT, insertLearning } from '../../../support/database/learning.ts';
import { useDatabase } from '../../support.ts';

const bench = useDatabase();
const METHODS = { abort: TASK.abort, keep: TASK.keep };
const done = (value: number) => ({ status: 'completed' as const, value, candidateId: BASELINE });
const UNREADABLE = { status: 'rejected' as const, failure: 'unreadable-answer' as const };

/** Inserts the research of an evaluation, whose samples have these outcomes. `weights`: those that it sampled. */
async function insertEvaluation(
  id: string,
  { base, weights, more = {} }: { base: string; weights: string | null; more?: { taskHash?: string } },
  samples: readonly Parameters<typeof trialRow>[2][],
): Promise<void> {
  const settings = { ...METHODS, search: { ...TASK.search, proposer: { name: 'policy', base } } } as never;
  await insertResearch(bench.db, id, { proposer: 'policy', settings, ...more });
  const descent = [{ research: 'lr', version: Number(base.split('@')[1]), checkpoint: weights }];
  if (base.includes('@'))
    await bench.db.insert(policyBases).values({ researchId: id, base, model: 'tiny', checkpoint: weights, descent });
  await storeTrials(bench.db, trialRow(id, 1, { kind: 'baseline', ...done(9) }));
  for (const [index, sample] of samples.entries()) await storeTrials(bench.db, trialRow(id, index + 2, sample));
}

beforeAll(async () => {
  await insertLearning(bench.db, 'lr');
  const other = { name: 'toy', yaml: '', stageHash: 's', immutableHash: 'i', evaluatorHash: 'e', metricKey: 'm' };
  await bench.db.insert(taskVersions).values({ ...other, hash: 'task-2', task: TASK, mutablePaths: [] });
  const within = [done(1), done(3), UNREADABLE, { status: 'lost' as const }, {}, { ...done(50), taskHash: 'task-2' }];
  for (const [index, sample] of within.entries()) {
    await storeTrials(bench.db, trialRow('lr', 21 + index, { kind: 'evaluation', ...sample }));
    const want = { researchId: 'lr', kind: 'evaluation' as const, candidateId: BASELINE, ofTrial: null };
    await bench.db.insert(wantedRuns).values({ ...want, n: 21 + index, proposal: { version: 1 } });
  }
  const made = { base: 'lr@1', weights: CHECKPOINT };
  await insertEvaluation('eval/lr/v1-0a', made, [done(2), done(4)]);
  await insertEvaluation('eval/lr/v1-0b', made, [done(6)]);
  await insertEvaluation('eval/lr/v0-0c', { base: 'tiny', weights: null }, [done(8)]);
  // These do not count: of a deleted research of the same id, of another research, of another task, and not begun.
  await insertEvaluation('eval/lr/v1-0d', { base: 'lr@1', weights: hashOf('older weights') }, [done(100)]);
  await insertEvaluation('eval/lr/v0-0e', { base: 'another-model', weights: null }, [done(100)]);
  await insertEvaluation('eval/lr/v1-0/v1-0f', made, [done(100)]);
  await insertEvaluation('eval/lr-2/v1-0a', made, [done(100)]);
  await insertEvaluation('eval/lr/v1-1a', { ...made, more: { taskHash: 'task-2' } }, [
    { ...done(100), taskHash: 'task-2' },
  ]);
  await insertEvaluation('eval/lr/v1-1b', made, []);
});

test('the held-out values of a version are those of its weights on the task, by what requested them', async () => {
  const found = await readEvaluatedVersions(bench.db, { researchId: 'lr', taskHash: 'task-1', start: 'tiny' });
  expect(found).toMatchObject([
    { version: 0, source: 'apart', ended: 1, lost: 0, value: { n: 1, mean: 8, low: null } },
    { version: 1, source: 'within', ended: 4, lost: 1, value: { n: 2, mean: 2 }, readable: { n: 3, share: 2 / 3 } },
    { version: 1, source: 'apart', ended: 3, lost: 0, value: { n: 3, mean: 4 }, readable: { n: 3, share: 1 } },
  ]);
  const moved = await readEvaluatedVersions(bench.db, { researchId: 'lr', taskHash: 'task-2', start: 'tiny' });
  expect(moved.map(({ version, source, value }) => [version, source, value.mean])).toEqual([
    [1, 'within', 50],
    [1, 'apart', 100],
  ]);
});

test('a research whose policy began with a learnt version has their value as that of version 0', async () => {
  await insertResearch(bench.db, 'heir', { proposer: 'policy' });
  await insertEvaluation('eval/heir/v0-0a', { base: 'heir@0', weights: CHECKPOINT }, [done(5)]);
  const valuesOf = async (start: string) =>
    (await readEvaluatedVersions(bench.db, { researchId: 'heir', taskHash: 'task-1', start })).map(
      ({ value }) => value.mean,
    );
  expect([await valuesOf(CHECKPOINT), await valuesOf('tiny')]).toEqual([[5], []]);
});

test('the researches that began with a version are those that have its weights', async () => {
  const research = await readResearch(bench.db, { researchId: 'lr' });
  if (!research) throw new Error('Expected the research lr');
  const heirs = (await readDescent(bench.db, research)).heirs.map((heir) => heir.research);
  expect(heirs).toContain('eval/lr/v1-0a');
  expect(heirs).not.toContain('eval/lr/v1-0d');
});

test('a line of the log names the version that an evaluation sampled', async () => {
  const lines = await readLog(bench.db, { researchId: 'lr', after: 20 });
  expect(lines.map(({ n, policyVersion, update }) => [n, policyVersion, update]).toSorted()).toEqual(
    [21, 22, 23, 24, 26].map((n) => [n, 1, null]),
  );
});

test('the best single run is no sample of an evaluation and no run of an ablation', async () => {
  await insertResearch(bench.db, 'best');
  await storeTrials(bench.db, trialRow('best', 1, { kind: 'evaluation', trusted: true, ...done(1) }));
  await storeTrials(bench.db, trialRow('best', 2, { trusted: true, ...done(3) }));
  await storeTrials(bench.db, trialRow('best', 3, { kind: 'ablation', trusted: true, ...done(2) }));
  const scored = { researchId: 'best', taskHash: 'task-1', direction: 'minimize' as const };
  expect(await readSingleBest(bench.db, scored)).toBe('best/2');
});
