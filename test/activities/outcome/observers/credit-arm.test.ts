import { eq, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { beginProposal, changeArm } from '../../../../activities/propose/begin.ts';
import { keysDownWith, otherArmsOf } from '../../../../activities/propose/choose-arm.ts';
import { sandboxOf } from '../../../../activities/task/sandbox-of.ts';
import * as schema from '../../../../db/schema.ts';
import { chooserOf, makerOf } from '../../../../domain/search/proposer/makers.ts';
import type { TrialStatus } from '../../../../domain/trial.ts';
import { settle } from '../../../../activities/outcome/settle.ts';
import { Task } from '../../../../domain/task/task.ts';
import { BASELINE, insertResearch, storeTrials, TASK, trialRow, WINNER } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';

const bench = useDatabase();
const knobs = [{ file: 'train.mjs', name: 'LR', type: 'float', range: [0.01, 10] }];
const mixed = (search: object) => Task.parse({ ...TASK, knobs, search });
const ARMS = [
  { proposer: 'random', parent: 'original', trials: 1 },
  { proposer: 'llm', trials: 1 },
];
const task = mixed({ parent: 'lead', proposer: { name: 'mix', by: 'schedule', arms: ARMS } });

/** A research whose proposer is the mixture, with open trials. */
async function open(id: string, count: number): Promise<void> {
  const { search, abort, keep } = task;
  await insertResearch(bench.db, id, { proposer: 'mix', settings: { search, abort, keep }, lastN: count });
  await storeTrials(
    bench.db,
    Array.from({ length: count }, (_, index) => trialRow(id, index + 1)),
  );
}

const begin = async (id: string, n: number) =>
  beginProposal(bench.store, { trial: await bench.store.trial.loadTrial(`${id}/${n}`), task });

const end = (id: string, n: number, ended: { status?: TrialStatus; value?: number | null } = {}) =>
  settle(bench.store, {
    trialId: `${id}/${n}`,
    researchId: id,
    status: ended.status ?? 'completed',
    value: ended.value ?? null,
    metrics: {},
    evaluatorNotes: null,
    trusted: true,
    failure: (ended.status ?? 'completed') === 'completed' ? null : { label: 'exit-code', message: 'it failed' },
  });

/** Sums over the trials' own rows, as the table of arms should have them. */
async function recomputed(id: string) {
  const { rows } = await bench.db.execute(sql`
    select arm as key, count(*)::int as chosen, count(arm_reward)::int as trials,
      (count(value) filter (where arm_reward is not null))::int as scored,
      coalesce(sum(arm_reward), 0)::float8 as reward,
      coalesce(sum(seconds) filter (where arm_reward is not null), 0)::float8 as seconds
    from trials where research_id = ${id} and arm is not null group by arm order by arm`);
  return rows;
}

describe('the arm of a trial', () => {
  test('is stored with its choice, once, and its parent is that of its own rule', async () => {
    await open('begins', 3);
    const first = await begin('begins', 1);
    expect(first).toMatchObject({
      arm: 'random from original',
      proposer: 'random',
      parentId: BASELINE,
      parentReason: 'the original',
      proposerReason: 'its turn, after 0 trials',
    });
    expect(await begin('begins', 1)).toEqual(first);
    expect(await begin('begins', 2)).toMatchObject({ arm: 'llm', proposer: 'llm', parentReason: 'the lead' });
    expect(await begin('begins', 3)).toMatchObject({ arm: 'random from original' });
    const stored = await bench.store.research.readArms({ researchId: 'begins' });
    expect(stored.map(({ key, chosen, trials }) => [key, chosen, trials])).toEqual([
      ['llm', 1, 0],
      ['random from original', 2, 0],
    ]);
  });

  test('gets its outcome once, and its sums equal those over its trials', async () => {
    await open('ends', 9);
    for (let n = 1; n <= 9; n += 1) await begin('ends', n);
    await bench.db.update(schema.trials).set({ seconds: 2 }).where(eq(schema.trials.researchId, 'ends'));
    // Money of the evaluator says nothing about the arm.
    const call = { trialId: 'ends/1', model: 'm' };
    await bench.db.insert(schema.calls).values([
      { ...call, turn: 0, usd: 0.5 },
      { ...call, turn: 1, usd: 4, role: 'evaluator' },
    ]);
    await end('ends', 1, { value: 5 });
    await end('ends', 2, { value: 3 });
    await end('ends', 2, { value: 3 });
    await end('ends', 3, { status: 'crashed' });
    await end('ends', 4, { status: 'rejected' });
    await end('ends', 5, { value: 4 });
    await end('ends', 6, { status: 'lost' });
    await end('ends', 7, { status: 'cached' });
    await bench.db.update(schema.trials).set({ runsBefore: 1 }).where(eq(schema.trials.id, 'ends/8'));
    await end('ends', 8, { value: 1 });
    const stored = await bench.store.research.readArms({ researchId: 'ends' });
    const own = await recomputed('ends');
    expect(stored).toMatchObject(own);
    expect(stored.map(({ usd }) => usd)).toEqual([0, 0.5]);
    expect(own).toEqual([
      { key: 'llm', chosen: 4, trials: 3, scored: 2, reward: 0.75, seconds: 6 },
      { key: 'random from original', chosen: 5, trials: 4, scored: 2, reward: 1, seconds: 8 },
    ]);
  });

  test('does not keep a knob of code that another arm wrote out of the sandbox', async () => {
    await open('code', 1);
    await bench.db
      .update(schema.trials)
      .set({ proposer: 'llm', candidateId: WINNER, parentId: BASELINE })
      .where(eq(schema.trials.id, 'code/1'));
    const ask = (proposer: unknown, candidateId: string) =>
      sandboxOf(bench.store, task, { proposer, researchId: 'code', candidateId });
    const knobsAlone = { name: 'mix', arms: [{ proposer: 'random' }] };
    // A mixture with a member that writes code needs the sandbox for every run, a mixture of knobs for that code.
    expect(await ask(task.search.proposer, BASELINE)).toBe('required');
    expect(await ask(knobsAlone, WINNER)).toBe('required');
    expect(await ask(knobsAlone, BASELINE)).toBe('preferred');
  });
});

describe('an arm whose endpoint is down', () => {
  test('is skipped with a reason and without credit, and so are later trials', async () => {
    await open('down', 4);
    await begin('down', 1);
    const waiting = await begin('down', 2);
    expect(waiting.arm).toBe('llm');
    const skipped = await changeArm(bench.store, { trial: waiting, task, why: 'model endpoint: refused' });
    expect(skipped).toMatchObject({ arm: 'random from original', proposer: 'random', parentReason: 'the original' });
    expect(skipped.proposerReason).toMatch(/^in place of llm, which was skipped: model endpoint: refused; in place of/);
    expect(await changeArm(bench.store, { trial: waiting, task, why: 'again' })).toEqual(skipped);
    expect(await begin('down', 3)).toMatchObject({ arm: 'random from original' });
    expect(await begin('down', 4)).toMatchObject({ arm: 'random from original' });
    expect(await bench.store.research.readArms({ researchId: 'down' })).toMatchObject([
      { key: 'llm', chosen: 0, trials: 0, down: 'model endpoint: refused', isDown: true },
      { key: 'random from original', chosen: 4, isDown: false },
    ]);
    await bench.db
      .update(schema.arms)
      .set({ downUntil: new Date(0) })
      .where(eq(schema.arms.key, 'llm'));
    const [llm] = await bench.store.research.readArms({ researchId: 'down' });
    expect(llm?.isDown).toBe(false);
  });

  test('is tried again after a time that doubles with each failure, until its endpoint answers', async () => {
    await open('doubling', 1);
    const seconds = async (): Promise<number> => {
      const [row] = await bench.db.select().from(schema.arms).where(eq(schema.arms.researchId, 'doubling'));
      return Math.round(((row?.downUntil?.getTime() ?? 0) - Date.now()) / 60_000);
    };
    const down = { researchId: 'doubling', keys: ['llm'], why: 'away', seconds: 0 };
    const expire = () => bench.db.update(schema.arms).set({ downUntil: new Date(0) });
    await bench.store.research.markArmsDown(down);
    // A trial that failed at the same time does not count again.
    await bench.store.research.markArmsDown(down);
    expect(await seconds()).toBe(5);
    await expire();
    await bench.store.research.markArmsDown(down);
    expect(await seconds()).toBe(10);
    await expire();
    await bench.store.research.markArmsDown({ ...down, seconds: 3600 });
    expect(await seconds()).toBe(60);
    await bench.store.research.markArmUp({ researchId: 'doubling', key: 'llm' });
    expect(await bench.store.research.readArms({ researchId: 'doubling' })).toMatchObject([
      { down: null, isDown: false },
    ]);
    await bench.store.research.markArmsDown(down);
    expect(await seconds()).toBe(5);
  });

  test('leaves other models of its endpoint in use if the error is about its model', async () => {
    const llm = (model: string) => ({ proposer: { name: 'llm', model } });
    const models = mixed({
      proposer: { name: 'mix', arms: [llm('a'), llm('b'), { proposer: { name: 'llm', model: 'a', temperature: 0 } }] },
    });
    const chooser = chooserOf(models.search.proposer) ?? expect.unreachable();
    const maker = makerOf({ name: 'llm', model: 'a' });
    const keys = (isOfModel: boolean) => keysDownWith(chooser, { maker, task: models, isOfModel });
    expect(keys(true)).toEqual(['llm {"model":"a"}', 'llm {"model":"a","temperature":0}']);
    expect(keys(false)).toHaveLength(3);
  });

  test('is kept if no other arm does without its endpoint', async () => {
    await open('alone', 2);
    await begin('alone', 1);
    const trial = await begin('alone', 2);
    const research = { proposer: 'mix' };
    const asked = { trial, research, maker: makerOf('llm') };
    const both = { ofOtherEndpoint: true, ofOtherModel: true };
    expect(await otherArmsOf(bench.store, { ...asked, task })).toEqual(both);
    const none = { ofOtherEndpoint: false, ofOtherModel: false };
    const llmAlone = mixed({ proposer: { name: 'mix', arms: [{ proposer: 'llm' }] } });
    expect(await otherArmsOf(bench.store, { ...asked, task: llmAlone })).toEqual(none);
    const two = (other: object) =>
      mixed({ proposer: { name: 'mix', arms: [{ proposer: 'llm' }, { proposer: { name: 'llm', ...other } }] } });
    const otherModel = two({ model: 'b' });
    expect(await otherArmsOf(bench.store, { ...asked, task: otherModel })).toEqual({ ...none, ofOtherModel: true });
    expect(await otherArmsOf(bench.store, { ...asked, task: two({ provider: 'gemini' }) })).toEqual(both);
    const hot = two({ temperature: 0.2 });
    expect(await otherArmsOf(bench.store, { ...asked, task: hot })).toEqual(none);
  });
});
