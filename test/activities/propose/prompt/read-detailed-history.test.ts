import { expect, test } from 'vitest';
import { readDetailedHistory, underWayOf } from '../../../../activities/propose/prompt/read-detailed-history.ts';
import type { ActivityDeps } from '../../../../activities/deps.ts';
import { points, runs, trials } from '../../../../db/schema.ts';
import { BASELINE, BROKEN, insertResearch, storeTrials, trialRow, WINNER } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { eq } from 'drizzle-orm';

const bench = useDatabase();
const deps = (): ActivityDeps => ({ store: bench.store }) as unknown as ActivityDeps;
const ended = (value: number) => ({ status: 'completed' as const, value, endedAt: new Date(), seconds: 3 });

test('the history has the best and the last trials, each with its diff, parent, runs and curve', async () => {
  await insertResearch(bench.db, 'told', { lastN: 6 });
  await storeTrials(bench.db, [
    trialRow('told', 1, { kind: 'baseline', candidateId: BASELINE, ...ended(2) }),
    trialRow('told', 2, {
      candidateId: WINNER,
      parentId: BASELINE,
      hypothesis: 'LR 0.05',
      expectedDelta: -0.3,
      ...ended(1.5),
      metrics: { loss: 1.5, seen: 1 },
      evaluatorNotes: 'digits 3 and 8 are confused',
      verdict: 'keep',
    }),
    trialRow('told', 3, { kind: 'confirm', ofTrial: 2, candidateId: WINNER, ...ended(1.7) }),
    trialRow('told', 4, { candidateId: BROKEN, parentId: WINNER, hypothesis: 'LR 9' }),
    trialRow('told', 5, { candidateId: BROKEN, parentId: WINNER, hypothesis: 'LR 9 again', status: 'cached' }),
    trialRow('told', 6),
  ]);
  await bench.db.insert(runs).values({ jobId: 'told/2', placement: 0, fence: 1, host: 'h', slotId: 'h/0' });
  const curve = Array.from({ length: 11 }, (_, seq) => ({ seq, step: seq * 10, value: 3 - seq / 10, elapsed: seq }));
  await bench.db.insert(points).values(curve.map((point) => ({ jobId: 'told/2', placement: 0, ...point })));
  const research = await bench.store.research.findResearch('told');
  if (!research) return expect.unreachable();
  const detailed = await readDetailedHistory(deps(), { research, last: 20, best: 5 });
  expect(detailed.best.map(({ n }) => n)).toEqual([2]);
  expect(detailed.history.map(({ n }) => n)).toEqual([2, 5]);
  expect(detailed.best[0]).toMatchObject({
    value: 1.5,
    mean: { value: 1.6, n: 2 },
    parent: { n: null, value: 2 },
    expectedDelta: -0.3,
    seconds: 3,
    metrics: { loss: 1.5, seen: 1 },
    notes: 'digits 3 and 8 are confused',
    verdict: 'keep',
    diff: '--- a/train.mjs\n+++ b/train.mjs\n@@ -1,1 +1,1 @@\n-const LR = 0.1;\n+const LR = 0.05;\n',
    curve: [0, 20, 40, 60, 80, 100].map((step) => ({ step, value: 3 - step / 100 })),
  });
  expect(detailed.history[1]).toMatchObject({ status: 'cached', copiedTrial: { n: 4, status: null, value: null } });
  expect(await underWayOf(deps(), { researchId: 'told', trialId: 'told/6' })).toMatchObject([
    { n: 4, hypothesis: 'LR 9' },
  ]);
  // The history has trial 4, which ran meanwhile, in its present state.
  await bench.db.update(trials).set(ended(2.634)).where(eq(trials.id, 'told/4'));
  const later = await readDetailedHistory(deps(), { research, last: 20, best: 5 });
  expect(later.best.map(({ n }) => n)).toEqual([2, 4]);
  expect(later.history.find(({ n }) => n === 5)?.copiedTrial).toMatchObject({
    n: 4,
    status: 'completed',
    value: 2.634,
  });
});

test('a candidate of another trial is found, whatever its number, unless that trial was lost', async () => {
  await insertResearch(bench.db, 'seen', { lastN: 4 });
  await storeTrials(bench.db, [
    trialRow('seen', 1),
    trialRow('seen', 2, { candidateId: WINNER, status: 'aborted', failure: 'cannot-win', failureMessage: 'at 35 %' }),
    trialRow('seen', 3, { candidateId: BROKEN, status: 'lost' }),
    trialRow('seen', 4, { candidateId: BASELINE }),
  ]);
  const trial = await bench.store.trial.loadTrial('seen/1');
  const find = (candidateId: string) => bench.store.trial.findKnownCandidate({ trial, candidateId });
  expect(await find(WINNER)).toEqual({
    n: 2,
    status: 'aborted',
    failure: 'cannot-win',
    failureMessage: 'at 35 %',
    value: null,
  });
  expect(await find(BROKEN)).toBeUndefined();
  expect(await find(BASELINE)).toMatchObject({ n: 4, status: null });
  await storeTrials(bench.db, trialRow('seen', 5, { kind: 'confirm', candidateId: WINNER, ...ended(2) }));
  expect(await find(WINNER)).toMatchObject({ n: 5, value: 2 });
});
