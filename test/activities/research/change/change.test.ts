import { expect, test } from 'vitest';
import { changeBudget } from '../../../../activities/steer.ts';
import { insertResearch, TASK, BASELINE, CONFIG, hashOf } from '../../../cli/support/lineage.ts';
import { readAllEvents } from '../../../db/event/read-all-events.ts';
import { useDatabase } from '../../../db/support.ts';
import type { ActivityDeps } from '../../../../activities/deps.ts';
import { warnOfChange } from '../../../../activities/research/change/warn-of-change.ts';
import { advance } from '../../../../domain/gate/gate.ts';

const bench = useDatabase();

test('no concurrent change of a budget is lost', async () => {
  await insertResearch(bench.db, 'both');
  const [a, b, c] = [bench.another(), bench.another(), bench.another()];
  for (let round = 1; round <= 10; round += 1) {
    await Promise.all([
      changeBudget(a, { researchId: 'both', change: { trials: round } }),
      changeBudget(b, { researchId: 'both', change: { hours: round } }),
      changeBudget(c, { researchId: 'both', change: { usd: round } }),
    ]);
    const now = (await bench.store.research.findResearch('both'))?.budget;
    expect(now).toEqual({ ...TASK.budget, trials: round, hours: round, usd: round });
  }
});

test('a changed budget is returned whole', async () => {
  await insertResearch(bench.db, 'whole');
  const first = await changeBudget(bench.store, { researchId: 'whole', change: { trials: 7 } });
  expect(first).toEqual({ ...TASK.budget, trials: 7 });
  const second = await changeBudget(bench.store, {
    researchId: 'whole',
    change: { whenSpent: 'wait' },
    sender: 'page',
  });
  await changeBudget(bench.store, { researchId: 'whole', change: { trials: 7 } });
  expect(second).toEqual({ ...first, whenSpent: 'wait' });
  const [before, after] = [TASK.budget.trials === undefined ? 'none' : String(TASK.budget.trials), '7'];
  // The third change changes nothing, so it has no event.
  expect(await readAllEvents(bench.db, 'whole')).toMatchObject([
    { kind: 'budget-changed', data: { changes: [{ key: 'trials', from: before, to: after }] } },
    { kind: 'budget-changed', data: { changes: [{ key: 'whenSpent', from: 'stop', to: 'wait' }], sender: 'page' } },
  ]);
});

test('a folder with another starting text brings the command to run that text, once anything has a value', async () => {
  const loaded = {
    hash: 'task-2',
    task: TASK,
    mutablePaths: ['train.mjs'],
    immutableHash: 'i',
    folder: '/tasks/toy',
    workspace: [{ path: 'train.mjs', content: Buffer.from('const LR = 1;'), executable: false }],
  };
  const deps = { store: bench.store, tasks: { loadTask: () => Promise.resolve(loaded) }, machine: { sha256: hashOf } };
  const opened = await insertResearch(bench.db, 'begun');
  const warned = async () => {
    const research = await bench.store.research.findResearch('begun');
    if (!research) throw new Error('Expected a research begun');
    return warnOfChange(deps as unknown as ActivityDeps, research, '/tasks/toy');
  };
  const differs = expect.stringMatching(
    /^the folder of toy differs from the version that this research runs/,
  ) as string;
  expect(await warned()).toEqual([differs]);
  const run = { kind: 'baseline' as const, candidateId: BASELINE, parentId: null, ofTrial: null, seed: 1, value: 2 };
  const { state: gate } = advance(CONFIG, opened, { ...run, n: 1 });
  await bench.store.research.updateResearch('begun', { gate });
  expect(await warned()).toEqual([
    differs,
    expect.stringMatching(
      /text of train\.mjs by itself\..* --file train\.mjs=\/tasks\/toy\/workspace\/train\.mjs .*begun-2$/,
    ),
  ]);
});
