import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { beginProposal } from '../../../../activities/propose/begin.ts';
import { askedChange } from '../../../../activities/propose/operator/asked-change.ts';
import { refusedChange } from '../../../../activities/propose/operator/refused-change.ts';
import { observationsFor } from '../../../../activities/propose/observations-for.ts';
import type { ProposeContext } from '../../../../activities/propose/propose-context.ts';
import { structureOf } from '../../../../activities/propose/structure-of.ts';
import * as schema from '../../../../db/schema.ts';
import { makerOf } from '../../../../domain/search/proposer/makers.ts';
import { Task } from '../../../../domain/task/task.ts';
import { PRESETS } from '../../../../domain/task/presets.ts';
import { BASELINE, storeTrials, TASK, trialRow } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { candidateOf, fileWith, knobResearch } from '../../../support/database/knob-research.ts';

const bench = useDatabase();
const { open, propose, end } = knobResearch(bench);
const knobs = [{ file: 'train.mjs', name: 'LR', type: 'float', range: [0, 100] }];
const taskOf = (search: object) => Task.parse({ ...TASK, knobs, search: { parent: 'original', ...search } });

async function begin(id: string, n: number, settings: object) {
  const proposer = { name: 'llm', ...settings };
  const task = taskOf({ proposer });
  await bench.db.update(schema.researches).set({ proposer: 'llm' }).where(eq(schema.researches.id, id));
  await storeTrials(bench.db, trialRow(id, n, { taskHash: 'knobby' }));
  const trial = await bench.store.trial.loadTrial(`${id}/${n}`);
  return { begun: await beginProposal(bench.store, { trial, task }), task };
}

const contextOf = (trial: unknown, task: Task) =>
  ({ deps: { store: bench.store }, trial, version: { task }, files: fileWith(1) }) as unknown as ProposeContext;

test('a proposer without operators asks for any change; one with operators stores its draw once', async () => {
  await open('drawn');
  const { begun: plain } = await begin('drawn', 1, {});
  expect(plain).toMatchObject({ operator: null, operatorReason: null, secondParentId: null });
  const { begun, task } = await begin('drawn', 2, { operators: { simplify: 1 } });
  expect(begun).toMatchObject({ operator: 'simplify', operatorReason: 'drawn by weight', parentId: BASELINE });
  const other = taskOf({ proposer: { name: 'llm', operators: { rewrite: 1 } } });
  expect(await beginProposal(bench.store, { trial: begun, task: other })).toMatchObject({ operator: 'simplify' });
  expect((await askedChange(contextOf(begun, task)))?.request).toMatch(/^Make the program simpler/);
});

test('a crossover gets the best candidate that is no ancestor as second parent, else it is a tweak', async () => {
  await open('crossed');
  const settings = { operator: 'crossover' };
  const { begun: early } = await begin('crossed', 1, settings);
  expect(early).toMatchObject({
    operator: 'tweak',
    operatorReason: 'in place of crossover: no second parent has a score',
    secondParentId: null,
  });
  await propose('crossed', 2, 20);
  await propose('crossed', 3, 30);
  await propose('crossed', 4, 40);
  await end('crossed', 2, 2.5);
  await end('crossed', 3, 1.5);
  await end('crossed', 4, null, 'crashed');
  const { begun, task } = await begin('crossed', 5, settings);
  expect(begun).toMatchObject({ operator: 'crossover', parentId: BASELINE, secondParentId: 'crossed-30' });
  const asked = await askedChange(contextOf(begun, task));
  expect(asked).toMatchObject({ secondParent: { n: 3, value: 1.5 } });
  expect(asked?.secondParent?.diff).toContain('+const LR = 30;');
  const niched = { researchId: 'crossed', taskHash: 'knobby', niche: null, direction: 'minimize' } as const;
  const second = (parentId: string) => bench.store.trial.findSecondParent({ ...niched, parentId });
  await bench.db.update(schema.trials).set({ parentId: 'crossed-30' }).where(eq(schema.trials.id, 'crossed/2'));
  // The best one is an ancestor now.
  expect(await second('crossed-20')).toBeUndefined();
  expect(await second('crossed-30')).toMatchObject({ candidateId: 'crossed-20' });
});

test('a fix starts from the latest crash by the fault of its candidate that nobody has fixed', async () => {
  await open('fixed');
  const settings = { operators: { 'fix-the-crash': 1 } };
  await propose('fixed', 1, 10);
  await propose('fixed', 2, 20);
  await propose('fixed', 3, 30);
  await end('fixed', 1, null, 'crashed');
  await end('fixed', 2, null, 'crashed');
  await end('fixed', 3, null, 'crashed');
  // The evaluator failed, not the candidate.
  await bench.db.update(schema.trials).set({ failure: 'evaluator-failed' }).where(eq(schema.trials.id, 'fixed/3'));
  const { begun, task } = await begin('fixed', 4, settings);
  const reason = 'trial 2, which crashed (exit-code), to be fixed';
  expect(begun).toMatchObject({
    operator: 'fix-the-crash',
    parentId: candidateOf('fixed', 20).id,
    parentReason: reason,
  });
  expect(await askedChange(contextOf(begun, task))).toMatchObject({
    request: expect.stringContaining('Find the cause') as string,
    crash: { n: 2, failure: { label: 'exit-code', message: 'it failed' } },
  });
  expect((await begin('fixed', 5, settings)).begun.parentId).toBe('fixed-10');
  expect((await begin('fixed', 6, settings)).begun).toMatchObject({
    operator: 'tweak',
    operatorReason: 'in place of fix-the-crash: no crashed candidate is left to fix',
    parentId: BASELINE,
  });
});

test('knobs-only refuses an answer that changes more than values of knobs', async () => {
  await open('knobs');
  const { begun, task } = await begin('knobs', 1, { operator: 'knobs-only' });
  const context = contextOf(begun, task);
  expect(refusedChange(context, { files: fileWith(7) })).toBeNull();
  const more = { 'train.mjs': 'const LR = 7;\nconst X = 1;\n' };
  expect(refusedChange(context, { files: more })).toMatchObject({
    label: 'edit-outside-mutable',
    message: 'expected other values of knobs alone (LR), since the operator is knobs-only; got other changes',
  });
  expect(refusedChange(contextOf({ ...begun, operator: 'tweak' }, task), { files: more })).toBeNull();
});

test('in the hybrid, the optimizer draws the knobs of the structure that a model has written', async () => {
  await open('hybrid');
  const arms = (PRESETS['hybrid']?.overrides.search?.['proposer'] as { arms: { proposer: string }[] }).arms;
  const { method, settings } = makerOf(arms[1]?.proposer);
  const written = { 'train.mjs': 'const LR = 50;\nwarmUp();\n' };
  const task = taskOf({});
  const structure = structureOf(task.knobs, written);
  for (let n = 1; n <= 12; n += 1) {
    await propose('hybrid', n, n);
    await end('hybrid', n, n);
  }
  const trial = await bench.store.trial.loadTrial('hybrid/12');
  const observations = await observationsFor(bench.store, { trial, task, reach: method.observes });
  const draw = (files: Record<string, string>, seed: number) => {
    const input = { knobs: task.knobs, files, seed, observations, structure: structureOf(task.knobs, files) };
    const drawn = method.draw?.(input, settings as never);
    if (drawn?.ok !== true) throw new Error('expected a draw');
    return JSON.stringify(drawn.edits);
  };
  expect(structure).not.toBe(structureOf(task.knobs, fileWith(1)));
  const lrOf = (edits: string): number => Number(/const LR = ([\d.e+-]+)/.exec(edits)?.[1]);
  const seeds = Array.from({ length: 20 }, (_, seed) => seed);
  const mean = (files: Record<string, string>) => seeds.reduce((sum, seed) => sum + lrOf(draw(files, seed)), 0) / 20;
  // The old structure is best at small rates; the new one has no observation, so its draws are even over 0 to 100.
  expect(mean(fileWith(1))).toBeLessThan(25);
  expect(mean(written)).toBeGreaterThan(30);
});
