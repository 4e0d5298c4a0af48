import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { readLearningState } from '../../../activities/learning/read-learning-state.ts';
import { reopenResearch, requireSameLearning } from '../../../activities/research/reopen-research.ts';
import { beginProposal } from '../../../activities/propose/begin.ts';
import { steerPolicy } from '../../../db/learning/steer-policy.ts';
import { events, policies, researches, updates } from '../../../db/schema.ts';
import { type Task } from '../../../domain/task/task.ts';
import type { StepBatch } from '../../../domain/learning/step.ts';
import { PolicyError } from '../../../infra/policy.ts';
import { hashOf, storeTrials, TASK, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';
import { resultOf, useLearner } from './support/learner.ts';
import { GRPO, search, useLearning } from './support/learning.ts';

const bench = useDatabase();
const { learning, begun, end, sampled } = useLearning(bench);
const learner = useLearner(bench);

const policyOf = async (id: string) => (await bench.db.select().from(policies).where(eq(policies.researchId, id)))[0];
const updatesOf = (id: string) => bench.db.select().from(updates).where(eq(updates.researchId, id)).orderBy(updates.k);
const stands = (id: string) => bench.store.withResearch(id, readLearningState);

describe('an update', () => {
  test('is due once its batch has ended, starts from the version before, and is carried out once', async () => {
    await learning('once');
    await sampled('once', 1);
    expect(await updatesOf('once')).toEqual([]);
    await sampled('once', 2);
    expect(await updatesOf('once')).toMatchObject([{ k: 1, state: 'due', batch: ['once/1', 'once/2'] }]);
    let steps = 0;
    const learn = learner(async (batch) => ((steps += 1), resultOf(batch)));
    await learn('once', 1);
    await learn('once', 1);
    expect(steps).toBe(1);
    await sampled('once', 3);
    await sampled('once', 4);
    let parent: unknown;
    await learner(async (batch) => ((parent = batch.parent), resultOf(batch)))('once', 2);
    const [first] = await updatesOf('once');
    expect(parent).toEqual({ path: `/c/${first?.stepKey}`, sha256: first?.checkpoint });
    expect(await policyOf('once')).toMatchObject({ inForce: 2, halted: null });
  });

  test('that is refused costs its batch; three in a row halt the learning', async () => {
    await learning('refused');
    const refuses = learner(() => Promise.reject(new PolicyError('wrong parent', { kind: 'refused' })));
    for (const k of [1, 2, 3]) {
      await sampled('refused', 2 * k - 1);
      await sampled('refused', 2 * k);
      expect((await policyOf('refused'))?.halted).toBeNull();
      await refuses('refused', k);
    }
    expect(await updatesOf('refused')).toMatchObject(
      [1, 2, 3].map((k) => ({ k, state: 'refused', reason: 'wrong parent' })),
    );
    expect((await policyOf('refused'))?.halted).toBe('3 updates in a row made no version, the last one: wrong parent');
    expect(await stands('refused')).toMatchObject({ room: 0, due: null });
    const fired = await bench.db.select().from(events).where(eq(events.kind, 'gate-fired'));
    expect(fired).toMatchObject([{ researchId: 'refused', data: { k: 3, then: 'halt' } }]);
    await steerPolicy(bench.db, { researchId: 'refused', wish: { kind: 'rollback', version: 0 }, because: null });
    expect(await stands('refused')).toMatchObject({ room: 2, waits: null });
  });

  test('whose step fails is tried again, and given up at the fifth failure', async () => {
    await learning('failed');
    await sampled('failed', 1);
    await sampled('failed', 2);
    const fails = learner(() => Promise.reject(new PolicyError('out of memory', { kind: 'failed' })));
    for (let times = 1; times < 5; times += 1) await expect(fails('failed', 1)).rejects.toThrow('out of memory');
    await fails('failed', 1);
    expect(await updatesOf('failed')).toMatchObject([{ state: 'failed', failures: 5, reason: 'out of memory' }]);
  });

  test('that a person overtakes with another version is kept, and not put in force', async () => {
    await learning('overtaken');
    for (const n of [1, 2]) await sampled('overtaken', n);
    await learner()('overtaken', 1);
    for (const n of [3, 4]) await sampled('overtaken', n);
    const rolledBack = async (batch: StepBatch) => {
      await steerPolicy(bench.db, { researchId: 'overtaken', wish: { kind: 'rollback', version: 0 }, because: null });
      return resultOf(batch);
    };
    await learner(rolledBack)('overtaken', 2);
    expect(await updatesOf('overtaken')).toMatchObject([{ state: 'done' }, { state: 'done', parent: 1 }]);
    expect(await policyOf('overtaken')).toMatchObject({ inForce: 0 });
  });

  test('is ended without a version if the research no longer learns', async () => {
    await learning('random');
    for (const n of [1, 2]) await sampled('random', n);
    const settings = { search: search(GRPO, 'random'), abort: TASK.abort, keep: TASK.keep } as never;
    await bench.db.update(researches).set({ proposer: 'random', settings }).where(eq(researches.id, 'random'));
    expect(await stands('random')).toBeNull();
    await learner()('random', 1);
    expect(await updatesOf('random')).toMatchObject([
      { state: 'empty', reason: 'the research does not learn any more' },
    ]);
  });
});

describe('a batch', () => {
  test('is in the order of its trials, whichever drew its sample first', async () => {
    await learning('order');
    for (const n of [2, 1]) await sampled('order', n);
    expect(await updatesOf('order')).toMatchObject([{ k: 1, batch: ['order/1', 'order/2'] }]);
    let ids: string[] = [];
    await learner(async (batch) => ((ids = batch.rollouts.map(({ id }) => id)), resultOf(batch)))('order', 1);
    expect(ids).toEqual(['order/1', 'order/2']);
  });

  test('that ends under another proposer is due once the policy is back, with the settings of the task', async () => {
    await learning('back');
    for (const n of [1, 2]) await begun('back', n);
    const settings = { search: search(GRPO, 'random'), abort: TASK.abort, keep: TASK.keep } as never;
    const own = { name: 'policy', base: '/models/mine', answers: 'edits' };
    const overrides = { search: { proposer: own, update: GRPO, reward: 'improvement' } } as never;
    await bench.db.update(researches).set({ proposer: 'random', settings, overrides }).where(eq(researches.id, 'back'));
    for (const n of [1, 2]) await end('back', n);
    expect(await updatesOf('back')).toEqual([]);
    await reopenResearch(bench.store, { researchId: 'back', proposer: 'policy', sha256: hashOf });
    const [row] = await bench.db.select().from(researches).where(eq(researches.id, 'back'));
    expect(row?.settings?.search.proposer).toMatchObject(own);
    expect(await stands('back')).toMatchObject({ due: 1 });
  });

  test('that ends while a version is pinned is not learnt from, and learning goes on after it', async () => {
    await learning('pinned');
    for (const n of [1, 2]) await sampled('pinned', n);
    await learner()('pinned', 1);
    await steerPolicy(bench.db, { researchId: 'pinned', wish: { kind: 'pin', version: 1 }, because: null });
    for (const n of [3, 4, 5]) await sampled('pinned', n);
    expect(await stands('pinned')).toEqual({ room: null, waits: null, due: null });
    expect(await updatesOf('pinned')).toMatchObject([
      { state: 'done' },
      { state: 'empty', reason: 'the policy was pinned' },
    ]);
    await steerPolicy(bench.db, { researchId: 'pinned', wish: { kind: 'unpin' }, because: null });
    expect(await stands('pinned')).toEqual({ room: 1, waits: null, due: null });
    await sampled('pinned', 6);
    expect(await stands('pinned')).toMatchObject({ due: 3 });
  });

  test('is not joined by a trial that has ended meanwhile', async () => {
    await learning('late');
    await storeTrials(
      bench.db,
      trialRow('late', 1, { candidateId: null, status: 'aborted', proposer: null, parentId: null }),
    );
    const trial = await bench.store.trial.loadTrial('late/1');
    const task = { ...TASK, search: search(GRPO) } as Task;
    await expect(beginProposal(bench.store, { trial, task })).rejects.toThrow('late/1 has ended');
    expect(await bench.store.learning.countRollouts('late')).toBe(0);
  });

  test('is learnt from in its turn: if two are due, the first is carried out', async () => {
    await learning('two', { ...GRPO, staleness: 1 });
    for (const n of [1, 2, 3, 4]) await sampled('two', n);
    expect(await updatesOf('two')).toMatchObject([{ state: 'due' }, { state: 'due' }]);
    expect(await stands('two')).toMatchObject({ due: 1 });
  });
});

test('a change of task that would tear batches apart, or change the weights that learn, is refused', async () => {
  await learning('changed');
  await begun('changed', 1);
  const [research] = await bench.db.select().from(researches).where(eq(researches.id, 'changed'));
  const taskWith = (update: object | string, proposer: object | string = 'policy') =>
    ({ ...TASK, search: search(update, proposer) }) as Task;
  const changed = (after: Task) =>
    requireSameLearning(bench.store, { research: research!, before: taskWith(GRPO), after });
  await changed(taskWith({ ...GRPO, lr: 1e-3 }));
  await expect(changed(taskWith({ ...GRPO, batch: 4 }))).rejects.toThrow(
    'search.update.batch: expected 2, since research changed has drawn samples with it; got 4',
  );
  await expect(changed(taskWith(GRPO, { name: 'policy', base: '/other' }))).rejects.toThrow('search.proposer.base');
  await expect(changed(taskWith('none'))).rejects.toThrow('search.update');
});
