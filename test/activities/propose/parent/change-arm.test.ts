import { describe, expect, test } from 'vitest';
import { OBSERVERS } from '../../../../activities/outcome/observers.ts';
import { settle } from '../../../../activities/outcome/settle.ts';
import { beginProposal, changeArm } from '../../../../activities/propose/begin.ts';
import { settingsOf } from '../../../../domain/task/overrides.ts';
import { Task } from '../../../../domain/task/task.ts';
import { BASELINE, insertResearch, storeTrials, TASK, trialRow } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { recomputedTree, rounded, storedTree } from '../../../support/database/tree-oracle.ts';

const bench = useDatabase();
const why = 'model endpoint: refused';
const knobs = [{ file: 'train.mjs', name: 'LR', type: 'float', range: [0.01, 10] }];
const taskWith = (arms: object[]): Task =>
  Task.parse({ ...TASK, knobs, search: { parent: 'lead', proposer: { name: 'mix', by: 'schedule', arms } } });
const TREE_FIRST = taskWith([
  { proposer: 'llm', parent: { name: 'top-k', k: 1 }, trials: 1 },
  { proposer: 'random', parent: 'original', trials: 1 },
]);
const TREE_LAST = taskWith([
  { proposer: 'llm', parent: 'original', trials: 1 },
  { proposer: 'random', parent: { name: 'top-k', k: 1 }, trials: 1 },
]);

const load = (id: string) => bench.store.trial.loadTrial(id);
const begin = async (id: string, task: Task) => beginProposal(bench.store, { trial: await load(id), task });

/** A research whose best candidate is a child of the original, with open trials 3 and 4. Trial 3 begins. */
async function open(id: string, task: Task) {
  await insertResearch(bench.db, id, { proposer: 'mix', settings: settingsOf(task), lastN: 4 });
  const child = `${id}-child`;
  await bench.store.trial.saveCandidate({ id: child, immutableHash: 'i', files: {} });
  const ended = { status: 'completed' as const, endedAt: new Date() };
  await storeTrials(bench.db, [
    trialRow(id, 1, { kind: 'baseline', candidateId: BASELINE, value: 4, ...ended }),
    trialRow(id, 2, { candidateId: child, parentId: BASELINE, value: 3, ...ended }),
    trialRow(id, 3),
    trialRow(id, 4),
  ]);
  return { child, begun: await begin(`${id}/3`, task) };
}

/** Expects the tree of the trials, and returns visits and proposals in flight of each node, the original first. */
async function counts(id: string): Promise<[number, number][]> {
  const tree = rounded(await storedTree(bench, id));
  expect(tree).toEqual(rounded(await recomputedTree(bench, id)));
  return tree.map((node) => [node?.visits ?? Number.NaN, node?.inFlight ?? Number.NaN]);
}

const chosen = async (researchId: string) =>
  Object.fromEntries((await bench.store.research.readArms({ researchId })).map(({ key, chosen: n }) => [key, n]));

describe('a trial that gets another arm', () => {
  test('leaves the node of the first arm and visits that of the other, once', async () => {
    const { child, begun } = await open('left', TREE_FIRST);
    expect(begun).toMatchObject({ parentId: child, proposer: 'llm' });
    expect(await counts('left')).toEqual([
      [2, 0],
      [1, 1],
    ]);
    const changed = await changeArm(bench.store, { trial: begun, task: TREE_FIRST, why });
    expect(changed).toMatchObject({ parentId: BASELINE, arm: 'random from original', proposer: 'random' });
    const after = [
      [2, 1],
      [0, 0],
    ];
    expect(await counts('left')).toEqual(after);
    const arms = { [begun.arm ?? '']: 0, 'random from original': 1 };
    expect(await chosen('left')).toEqual(arms);
    // Neither a repeated change nor a repeated beginning counts again.
    expect(await changeArm(bench.store, { trial: begun, task: TREE_FIRST, why })).toEqual(changed);
    expect(await begin('left/3', TREE_FIRST)).toEqual(changed);
    expect(await counts('left')).toEqual(after);
    expect(await chosen('left')).toEqual(arms);
  });

  test('is counted in a tree that is filled by the change', async () => {
    const { child, begun } = await open('filled', TREE_LAST);
    expect(begun).toMatchObject({ parentId: BASELINE, proposer: 'llm' });
    expect(await storedTree(bench, 'filled')).toEqual([]);
    const changed = await changeArm(bench.store, { trial: begun, task: TREE_LAST, why });
    expect(changed).toMatchObject({ parentId: child, proposer: 'random' });
    expect(await counts('filled')).toEqual([
      [2, 0],
      [1, 1],
    ]);
  });

  test('keeps its first arm if the worker dies before the change is stored, and then changes as before', async () => {
    const { child, begun } = await open('died', TREE_FIRST);
    const before = await counts('died');
    const dies = () => {
      throw new Error('the worker dies');
    };
    await expect(changeArm(bench.store, { trial: begun, task: TREE_FIRST, why, reach: dies })).rejects.toThrow('dies');
    expect(await load('died/3')).toMatchObject({ parentId: child, arm: begun.arm });
    expect(await counts('died')).toEqual(before);
    const changed = await changeArm(bench.store, { trial: await load('died/3'), task: TREE_FIRST, why });
    expect(changed).toMatchObject({ parentId: BASELINE, arm: 'random from original' });
    expect(Object.values(await chosen('died'))).toEqual([0, 1]);
  });

  test('is refused the change after its outcome, whose credit its arm has', async () => {
    const { begun } = await open('ended', TREE_FIRST);
    const failure = { label: 'stopped-by-operator' as const, message: 'it was stopped' };
    const outcome = { status: 'lost' as const, value: null, metrics: {}, evaluatorNotes: null, trusted: true, failure };
    await settle(bench.store, { trialId: 'ended/3', researchId: 'ended', ...outcome });
    await expect(changeArm(bench.store, { trial: begun, task: TREE_FIRST, why })).rejects.toMatchObject({
      type: 'Settled',
    });
    expect(Object.values(await chosen('ended'))).toEqual([1]);
    expect(await counts('ended')).toEqual([
      [2, 0],
      [1, 0],
    ]);
  });
});

test('a choice whose worker died before it was stored is made again, and counted once', async () => {
  const { begun } = await open('again', TREE_FIRST);
  const before = await counts('again');
  const dies = () => {
    throw new Error('the worker dies');
  };
  const trial = await load('again/4');
  await expect(beginProposal(bench.store, { trial, task: TREE_FIRST, reach: dies })).rejects.toThrow('dies');
  expect(await load('again/4')).toMatchObject({ parentId: null, arm: null, proposer: null });
  expect(await counts('again')).toEqual(before);
  const tried = await begin('again/4', TREE_FIRST);
  expect(tried).toMatchObject({ arm: 'random from original', parentId: BASELINE });
  expect(await begin('again/4', TREE_FIRST)).toEqual(tried);
  expect(Object.values(await chosen('again'))).toEqual([1, 1]);
  expect(begun.arm).not.toBe('random from original');
});

test('an outcome whose worker died before it was stored is stored again, and moves tree and credit once', async () => {
  const { begun, child } = await open('scored', TREE_FIRST);
  const candidate = { id: 'scored-new', immutableHash: 'i', files: { 'train.mjs': 'new' } };
  const proposal = { knobs: {}, structure: null, hypothesis: '', expectedDelta: null, edits: [], runsBefore: 0 };
  await bench.store.trial.saveProposal({ trialId: begun.id, candidate, ...proposal });
  const outcome = { status: 'completed' as const, value: 1, metrics: {}, evaluatorNotes: null, trusted: true };
  const end = (observers = OBSERVERS) =>
    settle(bench.store, { trialId: begun.id, researchId: 'scored', failure: null, ...outcome }, observers);
  const dies = () => {
    throw new Error('the worker dies');
  };
  const before = await counts('scored');
  await expect(end([...OBSERVERS, dies])).rejects.toThrow('dies');
  expect(await counts('scored')).toEqual(before);
  expect(await bench.store.research.readArms({ researchId: 'scored' })).toMatchObject([{ trials: 0, reward: 0 }]);
  await end();
  await end();
  expect(await counts('scored')).toEqual([
    [2, 0],
    [1, 0],
    [0, 0],
  ]);
  expect((await storedTree(bench, 'scored')).at(-1)).toMatchObject({ candidateId: 'scored-new', parentId: child });
  expect(await bench.store.research.readArms({ researchId: 'scored' })).toMatchObject([{ trials: 1, scored: 1 }]);
});
