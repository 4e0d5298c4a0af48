import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { OBSERVERS } from '../../../activities/outcome/observers.ts';
import { settle } from '../../../activities/outcome/settle.ts';
import { overrideVerdict } from '../../../activities/steer.ts';
import { researches, trials, updates } from '../../../db/schema.ts';
import type { OutcomeInput } from '../../../db/trial/outcome.ts';
import type { StepBatch } from '../../../domain/learning/step.ts';
import { BASELINE, BROKEN, storeTrials, trialRow, WINNER } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';
import { outcomeOf } from '../outcome/support/outcome-of.ts';
import { useLearner } from './support/learner.ts';
import { search, useLearning } from './support/learning.ts';

const bench = useDatabase();
const { learning, drawn } = useLearning(bench);
const learner = useLearner(bench);

const FOUR = { name: 'grpo', batch: 4, group: 2, gates: [] };
const REWARD = { name: 'improvement', scale: 'absolute', failed: -1, rejected: -1, known: 1 };

/** A research that learns by batches of four, with a baseline of 2. Smaller is better. */
async function rewarded(id: string, reward: object = REWARD): Promise<void> {
  await learning(id, FOUR);
  const research = (await bench.store.research.findResearch(id)) ?? expect.unreachable();
  const series = { n: 3, mean: -2, m2: 0, min: -2, max: -2 };
  const gate = { ...research.gate, baseline: { series, values: [-2, -2, -2] } };
  const settings = { ...research.settings, search: { ...search(FOUR), reward } } as never;
  await bench.db.update(researches).set({ gate, settings }).where(eq(researches.id, id));
}

/** A sample of a candidate, with as many runs of it before. */
async function sampleOf(id: string, n: number, how: { candidateId: string; runsBefore?: number }): Promise<void> {
  await drawn(id, n, FOUR);
  await bench.db
    .update(trials)
    .set({ parentId: BASELINE, runsBefore: 0, ...how })
    .where(eq(trials.id, `${id}/${n}`));
}

const end = (id: string, n: number, more: Partial<OutcomeInput>) => settle(bench.store, outcomeOf(id, n, more));
const score = (id: string, n: number, value: number) => end(id, n, { value });
const crash = (id: string, n: number) =>
  end(id, n, { status: 'crashed', failure: { label: 'exit-code', message: 'so' } });
const copy = (id: string, n: number) => end(id, n, { status: 'cached' });

const rowsOf = (id: string) =>
  bench.db
    .select({ reward: trials.reward, parts: trials.rewardParts, reason: trials.rewardReason })
    .from(trials)
    .where(eq(trials.researchId, id))
    .orderBy(trials.n);
const rewardsOf = async (id: string) => (await rowsOf(id)).map(({ reward }) => reward);
const batches = (id: string) =>
  bench.db.select({ k: updates.k, batch: updates.batch }).from(updates).where(eq(updates.researchId, id));

describe('the rewards of a batch', () => {
  test('are one for each candidate, from the mean of its values, once its update is due', async () => {
    await rewarded('mean');
    for (const n of [1, 2, 3]) await sampleOf('mean', n, { candidateId: WINNER, runsBefore: n - 1 });
    await sampleOf('mean', 4, { candidateId: BROKEN });
    await score('mean', 1, 1);
    expect(await rewardsOf('mean')).toEqual([1, null, null, null]);
    await score('mean', 2, 1.9);
    await copy('mean', 3);
    await score('mean', 4, 1.5);
    expect(await batches('mean')).toHaveLength(1);
    const [first, second, third, fourth] = await rowsOf('mean');
    const mean = expect.closeTo(0.55, 12) as number;
    expect([first, second, third].map((row) => row?.reward)).toEqual([mean, mean, mean]);
    expect(first).toMatchObject({
      parts: { value: 1.45, baseline: 2, runs: 2, failedRuns: 0 },
      reason: 'absolute gain over the baseline, mean value of its runs',
    });
    expect(second).toMatchObject({ parts: { runs: 2, known: 1 }, reason: 'known from trial 1' });
    expect(fourth).toMatchObject({ reward: 0.5, parts: { value: 1.5, baseline: 2, gain: 0.5 } });
  });

  test('weigh the failed runs of a candidate by their number', async () => {
    await rewarded('fails');
    for (const n of [1, 2, 3, 4]) await sampleOf('fails', n, { candidateId: WINNER, runsBefore: n - 1 });
    await score('fails', 1, 1);
    await crash('fails', 2);
    await end('fails', 3, { status: 'lost', failure: { label: 'machine-lost', message: 'gone' } });
    await score('fails', 4, 1.5);
    const reward = (0.75 * 2 - 1) / 3;
    expect(await rewardsOf('fails')).toEqual([reward, reward, null, reward].map((value) => value && near(value)));
    expect((await rowsOf('fails'))[0]?.parts).toMatchObject({
      runs: 2,
      failedRuns: 1,
      scored: near(0.75),
      failed: near(-1),
    });
  });

  test('count every run of a candidate that has ended, also those of the gate and of earlier batches', async () => {
    await rewarded('all');
    await storeTrials(bench.db, [
      trialRow('all', 101, { candidateId: WINNER, kind: 'confirm', status: 'completed', value: 1.2 }),
      trialRow('all', 102, { candidateId: WINNER, kind: 'confirm' }),
    ]);
    for (const n of [1, 2, 3, 4]) await sampleOf('all', n, { candidateId: WINNER, runsBefore: n });
    await score('all', 1, 1);
    for (const n of [2, 3, 4]) await copy('all', n);
    expect((await rewardsOf('all')).slice(0, 4)).toEqual(Array(4).fill(near(0.9)));
  });

  test('apply `known` to copies, and leave them without novelty, whether they ran or not', async () => {
    const reward = { name: 'weighted-sum', scale: 'absolute', efficiency: 0, novelty: 3, known: 0.5 };
    await rewarded('novel', reward);
    await storeTrials(
      bench.db,
      trialRow('novel', 101, { candidateId: BASELINE, kind: 'baseline', status: 'completed', value: 2 }),
    );
    for (const n of [1, 2, 3]) await sampleOf('novel', n, { candidateId: WINNER, runsBefore: n - 1 });
    await sampleOf('novel', 4, { candidateId: BROKEN });
    await score('novel', 1, 1);
    await score('novel', 2, 1);
    await copy('novel', 3);
    await score('novel', 4, 2);
    const [first, ran, cached] = await rewardsOf('novel');
    expect([first, ran, cached]).toEqual([near(4), near(0.5), near(0.5)]);
  });

  test('stay when a later run of a candidate ends, and so do the bytes of its step', async () => {
    await rewarded('fixed');
    for (const n of [1, 2, 3, 4]) await sampleOf('fixed', n, { candidateId: WINNER, runsBefore: n - 1 });
    await score('fixed', 1, 1);
    for (const n of [2, 3, 4]) await copy('fixed', n);
    const fixed = await rowsOf('fixed');
    const batch = async (): Promise<StepBatch | undefined> => {
      let learnt: StepBatch | undefined;
      await learner((step) => ((learnt = step), Promise.reject(new Error('it dies'))))('fixed', 1).catch(() => null);
      return learnt;
    };
    const before = await batch();
    await sampleOf('fixed', 5, { candidateId: WINNER, runsBefore: 4 });
    await score('fixed', 5, 0);
    expect((await rowsOf('fixed')).slice(0, 4)).toEqual(fixed);
    expect((await rewardsOf('fixed'))[4]).toEqual(near(1.5));
    expect(before?.rollouts.map(({ reward }) => reward)).toEqual([1, 1, 1, 1]);
    expect(await batch()).toEqual(before);
  });

  test('are fixed by the outcome that completes the batch, or not at all', async () => {
    await rewarded('whole');
    for (const n of [1, 2, 3, 4]) await sampleOf('whole', n, { candidateId: WINNER, runsBefore: n - 1 });
    for (const n of [1, 2, 3]) await score('whole', n, n / 2);
    const before = await rowsOf('whole');
    const dies = settle(
      bench.store,
      {
        trialId: 'whole/4',
        researchId: 'whole',
        status: 'completed',
        failure: null,
        value: 1,
        metrics: {},
        evaluatorNotes: null,
        trusted: true,
      },
      [...OBSERVERS, () => Promise.reject(new Error('the worker dies'))],
    );
    await expect(dies).rejects.toThrow('the worker dies');
    expect([await rowsOf('whole'), await batches('whole')]).toEqual([before, []]);
    await score('whole', 4, 1);
    expect(await rewardsOf('whole')).toEqual(Array(4).fill(near(1)));
  });

  test('wait for the baseline, and no update becomes due before', async () => {
    await rewarded('waits');
    const research = (await bench.store.research.findResearch('waits')) ?? expect.unreachable();
    const gate = { ...research.gate, calibrating: { candidateId: BASELINE, need: 3 } };
    await bench.store.research.updateResearch('waits', { gate });
    for (const n of [1, 2, 3, 4]) await sampleOf('waits', n, { candidateId: WINNER, runsBefore: n - 1 });
    for (const n of [1, 2, 3, 4]) await score('waits', n, 1);
    expect([await rewardsOf('waits'), await batches('waits')]).toEqual([Array(4).fill(null), []]);
  });

  test('are none for a candidate that a person discarded, also for copies that ran or ended later', async () => {
    await rewarded('taken');
    for (const n of [1, 2, 3]) await sampleOf('taken', n, { candidateId: WINNER, runsBefore: n - 1 });
    await sampleOf('taken', 4, { candidateId: BROKEN });
    await score('taken', 1, 1);
    await overrideVerdict(bench.store, { researchId: 'taken', n: 1, verdict: 'discard', reason: 'it cheats' });
    await score('taken', 2, 1);
    await copy('taken', 3);
    await score('taken', 4, 1.5);
    expect(await batches('taken')).toHaveLength(1);
    expect(await rewardsOf('taken')).toEqual([null, null, null, 0.5]);
    expect((await rowsOf('taken'))[0]?.parts).toMatchObject({ taken: 1 });
  });
});

test('a copy that does not run has ended once a run of its candidate has, although others are under way', async () => {
  await rewarded('turns');
  await storeTrials(bench.db, [trialRow('turns', 101, { candidateId: WINNER, kind: 'confirm' })]);
  for (const n of [1, 2, 3, 4]) await sampleOf('turns', n, { candidateId: WINNER, runsBefore: n });
  for (const n of [1, 2, 3, 4]) await copy('turns', n);
  expect(await batches('turns')).toEqual([]);
  await end('turns', 101, { value: 1 });
  expect(await batches('turns')).toHaveLength(1);
  expect((await rewardsOf('turns')).slice(0, 4)).toEqual([1, 1, 1, 1]);
});

const near = (value: number): number => expect.closeTo(value, 12) as number;
