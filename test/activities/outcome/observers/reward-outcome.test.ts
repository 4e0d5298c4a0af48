import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { OBSERVERS } from '../../../../activities/outcome/observers.ts';
import { settle } from '../../../../activities/outcome/settle.ts';
import { overrideVerdict } from '../../../../activities/steer.ts';
import * as schema from '../../../../db/schema.ts';
import { settingsOf } from '../../../../domain/task/overrides.ts';
import { UnknownMethod } from '../../../../domain/method/unknown-method.ts';
import type { Search } from '../../../../domain/search/schema.ts';
import { BASELINE, BROKEN, insertResearch, storeTrials, TASK, trialRow, WINNER } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { outcomeOf } from '../support/outcome-of.ts';

const bench = useDatabase();
const { trials } = schema;

const IMPROVEMENT = { name: 'improvement', scale: 'absolute', known: 0.5 } as const;

const score = (id: string, n: number, value: number) => settle(bench.store, outcomeOf(id, n, { value }));
const copy = (id: string, n: number) => settle(bench.store, outcomeOf(id, n, { status: 'cached' }));

/** Inserts a research with a baseline of 2, at 10 s a run, and trials of these candidates under way from 4 on. */
async function rewardedBy(id: string, reward: Search['reward'], candidates: string[], measured = true): Promise<void> {
  await insertResearch(bench.db, id, { settings: settingsOf({ ...TASK, search: { ...TASK.search, reward } }) });
  const baseline = [1, 2, 3].map((n) => trialRow(id, n, { kind: 'baseline', candidateId: BASELINE, seconds: 10 }));
  const edited = (candidateId: string) => ({ candidateId, parentId: BASELINE, seconds: 5 });
  await storeTrials(bench.db, [
    ...baseline,
    ...candidates.map((candidateId, index) => trialRow(id, index + 4, edited(candidateId))),
  ]);
  if (measured) for (const n of [1, 2, 3]) await score(id, n, 2);
}

const rowsOf = (id: string) =>
  bench.db
    .select({ n: trials.n, reward: trials.reward, parts: trials.rewardParts, reason: trials.rewardReason })
    .from(trials)
    .where(eq(trials.researchId, id))
    .orderBy(trials.n);
const rewardsOf = async (id: string) => (await rowsOf(id)).slice(3).map(({ reward }) => reward);

test('the reward of a proposal is stored with its outcome and its parts, and another attempt leaves it', async () => {
  await rewardedBy('once', IMPROVEMENT, [WINNER]);
  await score('once', 4, 1.5);
  const stored = await rowsOf('once');
  expect(stored[3]).toEqual({
    n: 4,
    reward: 0.5,
    parts: { value: 1.5, baseline: 2, gain: 0.5 },
    reason: 'absolute gain over the baseline',
  });
  expect(stored.slice(0, 3)).toMatchObject(Array.from({ length: 3 }, () => ({ reward: null, reason: null })));
  await score('once', 4, 0.1);
  expect(await rowsOf('once')).toEqual(stored);
});

test('the reward is rolled back with its outcome', async () => {
  await rewardedBy('thrown', IMPROVEMENT, [WINNER]);
  const before = await rowsOf('thrown');
  const throws = (): Promise<never> => Promise.reject(new Error('it cannot be told'));
  await expect(settle(bench.store, outcomeOf('thrown', 4, { value: 1 }), [...OBSERVERS, throws])).rejects.toThrow(
    'be told',
  );
  expect(await rowsOf('thrown')).toEqual(before);
  await score('thrown', 4, 1.5);
  expect(await rewardsOf('thrown')).toEqual([0.5]);
});

test('a trial without a value has the reward of its end, and a lost one has none', async () => {
  await rewardedBy('ends', { ...IMPROVEMENT, failed: -1, aborted: -0.5 }, [WINNER, WINNER, WINNER]);
  const failed = (label: 'exit-code' | 'cannot-win' | 'machine-lost') => ({ failure: { label, message: 'so' } });
  await settle(bench.store, outcomeOf('ends', 4, { status: 'crashed', ...failed('exit-code') }));
  await settle(bench.store, outcomeOf('ends', 5, { status: 'aborted', ...failed('cannot-win') }));
  await settle(bench.store, outcomeOf('ends', 6, { status: 'lost', ...failed('machine-lost') }));
  expect(await rewardsOf('ends')).toEqual([-1, -0.5, null]);
  expect((await rowsOf('ends'))[5]?.reason).toBe('lost (machine-lost): the proposal did not cause it');
});

test('a copy has the reward of its original, times the factor, whichever ends first', async () => {
  await rewardedBy('copies', IMPROVEMENT, [WINNER, WINNER, WINNER, BASELINE, BROKEN]);
  await copy('copies', 5);
  expect((await rowsOf('copies'))[4]).toMatchObject({
    reward: null,
    reason: 'trial 4, the same candidate, is running',
  });
  await score('copies', 4, 1.5);
  await copy('copies', 6);
  await copy('copies', 7);
  expect(await rewardsOf('copies')).toEqual([0.5, 0.25, 0.25, 0, null]);
  expect((await rowsOf('copies'))[5]).toMatchObject({
    parts: { value: 1.5, baseline: 2, gain: 0.5, first: 0.5, known: 0.5 },
    reason: 'known from trial 4',
  });
});

test('a copy of a lost trial has no reward until the candidate has run', async () => {
  await rewardedBy('lost', IMPROVEMENT, [WINNER, WINNER, WINNER]);
  await copy('lost', 5);
  await settle(
    bench.store,
    outcomeOf('lost', 4, { status: 'lost', failure: { label: 'machine-lost', message: 'gone' } }),
  );
  expect(await rewardsOf('lost')).toEqual([null, null, null]);
  await score('lost', 6, 1);
  expect(await rewardsOf('lost')).toEqual([null, 0.5, 1]);
});

test.each([
  ['improvement', { name: 'improvement', scale: 'absolute' }, [1, 0, 1, null]],
  ['a weighted sum', { name: 'weighted-sum', scale: 'absolute', efficiency: 0, novelty: 0 }, [1, -0.99, 1, null]],
  // The copy is not new.
  ['novelty', { name: 'weighted-sum', scale: 'absolute', efficiency: 0, novelty: 3 }, [4, 1, 1, null]],
] as const)('%s of a trial beside the baseline is stored once that is complete', async (name, reward, rewards) => {
  const id = `beside ${name}`;
  await rewardedBy(id, reward, [WINNER, BROKEN, WINNER, WINNER], false);
  await score(id, 1, 2.5);
  await score(id, 4, 1);
  await copy(id, 6);
  await score(id, 5, 3);
  await score(id, 2, 2);
  expect(await rewardsOf(id)).toEqual([null, null, null, null]);
  expect((await rowsOf(id))[3]?.reason).toBe('waits for the baseline');
  await score(id, 3, 1.5);
  expect(await rewardsOf(id)).toEqual(rewards);
});

test('a proposal of the original, made beside the baseline, gains nothing once that is complete', async () => {
  await rewardedBy('same', IMPROVEMENT, [BASELINE, BASELINE], false);
  await copy('same', 4);
  for (const n of [1, 2]) await score('same', n, n);
  await copy('same', 5);
  expect(await rewardsOf('same')).toEqual([null, null]);
  await score('same', 3, 3);
  expect(await rewardsOf('same')).toEqual([0, 0]);
});

test('a rank waits for no baseline', async () => {
  await rewardedBy('early', 'rank', [WINNER, BROKEN], false);
  await score('early', 4, 1);
  await score('early', 5, 2);
  expect(await rewardsOf('early')).toEqual([0.5, 0]);
});

test('a weighted sum reads the parent, its seconds, and how far the change is from those that were tried', async () => {
  const reward = { name: 'weighted-sum', scale: 'absolute', efficiency: 0.1, novelty: 0.3 } as const;
  await rewardedBy('sum', reward, [WINNER, BROKEN]);
  await score('sum', 4, 1.5);
  await score('sum', 5, 2.5);
  // Half the seconds saved. The first change is new; the second shares the line that is gone with it, one of three.
  const parts = { parent: 2, efficiency: expect.closeTo(0.05, 12) };
  expect((await rowsOf('sum')).slice(3)).toMatchObject([
    { reward: expect.closeTo(0.5 + 0.05 + 0.3, 12), parts: { ...parts, gain: 0.5, novelty: 0.3 } },
    {
      reward: expect.closeTo(-0.5 + 0.05 + 0.2, 12),
      parts: { ...parts, gain: -0.5, novelty: expect.closeTo(0.2, 12) },
    },
  ]);
});

test('a rank is taken among the proposals that were scored before', async () => {
  await rewardedBy('ranks', 'rank', [WINNER, BROKEN, WINNER, BROKEN, WINNER]);
  for (const [index, value] of [1.5, 1.2, 1.8, 1.5].entries()) await score('ranks', index + 4, value);
  // 1.5 of three: worse is 1.8, equal is 1.5.
  expect(await rewardsOf('ranks')).toEqual([0.5, 1, 0, 0.5, null]);
  expect((await rowsOf('ranks'))[6]?.parts).toEqual({ value: 1.5, scored: 3, worse: 1, equal: 1 });
});

test('a proposal that changes nothing has the rank of the baseline among what was scored before it', async () => {
  await rewardedBy('same-rank', 'rank', [WINNER, BROKEN, BROKEN, BASELINE, BROKEN, BASELINE]);
  for (const [index, value] of [1.5, 2.5, 2.6].entries()) await score('same-rank', index + 4, value);
  await copy('same-rank', 7);
  await score('same-rank', 8, 1.9);
  await copy('same-rank', 9);
  // 2 of three: worse are 2.5 and 2.6. Of four then, of which 1.9 is better.
  const [, , , third, , fourth] = await rewardsOf('same-rank');
  expect([third, fourth]).toEqual([expect.closeTo(2 / 3, 12), 0.5]);
  expect((await rowsOf('same-rank'))[6]?.parts).toMatchObject({ value: 2, scored: 3, worse: 2, equal: 0 });
});

test('a proposal that changes nothing gains nothing over its parent, and is not novel', async () => {
  await rewardedBy('same-sum', { name: 'weighted-sum', scale: 'absolute' }, [WINNER, BASELINE]);
  await score('same-sum', 4, 1.5);
  await copy('same-sum', 5);
  expect((await rowsOf('same-sum'))[4]).toMatchObject({ reward: 0, parts: { gain: 0, efficiency: 0, novelty: 0 } });
});

test('a score by another metric than the research has now brings no reward, and the reason says so', async () => {
  await rewardedBy('apart', IMPROVEMENT, [WINNER]);
  const [version] = await bench.db.select().from(schema.taskVersions).where(eq(schema.taskVersions.hash, 'task-1'));
  const other = { ...(version ?? expect.unreachable()), hash: 'task-2', metricKey: 'other' };
  await bench.db.insert(schema.taskVersions).values(other);
  await bench.store.research.updateResearch('apart', { taskHash: 'task-2' });
  await score('apart', 4, 1);
  expect((await rowsOf('apart'))[3]).toMatchObject({
    reward: null,
    reason: 'scored by a metric that the task no longer has',
  });
});

test('a research without a reward stores none, whichever version began it', async () => {
  await rewardedBy('none', 'none', [WINNER]);
  await rewardedBy('older', IMPROVEMENT, [WINNER]);
  await bench.db.execute(`update researches set settings = settings #- '{search,reward}' where id = 'older'`);
  await rewardedBy('oldest', IMPROVEMENT, [WINNER]);
  await bench.store.research.updateResearch('oldest', { settings: null });
  for (const id of ['none', 'older', 'oldest']) {
    await score(id, 4, 1);
    expect((await rowsOf(id))[3]).toEqual({ n: 4, reward: null, parts: null, reason: null });
  }
});

test("a person's discard takes the reward back from the trial and its copies, and none is paid again", async () => {
  await rewardedBy('cheats', IMPROVEMENT, [WINNER, WINNER, BROKEN, WINNER]);
  await score('cheats', 4, 1.5);
  await copy('cheats', 5);
  await score('cheats', 6, 1.8);
  const word = { researchId: 'cheats', n: 4, verdict: 'discard' as const, reason: 'it reads the answers' };
  expect(await overrideVerdict(bench.store, word)).toBeUndefined();
  const taken = await rowsOf('cheats');
  expect(await overrideVerdict(bench.store, word)).toBeUndefined();
  expect(await rowsOf('cheats')).toEqual(taken);
  await copy('cheats', 7);
  expect(await rewardsOf('cheats')).toEqual([null, null, expect.closeTo(0.2, 12), null]);
  const { parts, reason } = taken[3] ?? {};
  expect(parts).toEqual({ value: 1.5, baseline: 2, gain: 0.5, taken: 0.5 });
  expect(reason).toBe('overridden by a person: it reads the answers');
  expect((await rowsOf('cheats'))[6]?.reason).toMatch(/which has no reward: overridden by a person/);
  // A new measurement of the baseline pays none either, nor does another run of the candidate.
  const research = (await bench.store.research.findResearch('cheats')) ?? expect.unreachable();
  expect(await bench.store.trial.findUnrewarded(research)).toMatchObject([{ n: 7 }]);
  const first = await bench.store.trial.loadTrial('cheats/4');
  await bench.store.trial.rewardCopies({ trial: first, rewarded: { reward: 1, parts: {}, reason: 'again' } });
  expect((await rewardsOf('cheats'))[1]).toBeNull();
});

test('an outcome that a newer version rewards waits for it', async () => {
  await rewardedBy('newer', 'none', [WINNER]);
  await bench.db.execute(
    `update researches set settings = jsonb_set(settings, '{search,reward}', '"from-the-future"') where id = 'newer'`,
  );
  await expect(score('newer', 4, 1)).rejects.toThrow(UnknownMethod);
  expect(await bench.store.trial.loadTrial('newer/4')).toMatchObject({ status: null, value: null });
});
