import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../../../activities/deps.ts';
import { warnOfChange } from '../../../../activities/research/change/warn-of-change.ts';
import { advance } from '../../../../domain/gate/gate.ts';
import { BASELINE, CONFIG, hashOf, insertResearch, TASK } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';

const bench = useDatabase();

test('a folder that begins with another text says how that text is run, once anything has a value', async () => {
  const loaded = {
    ...{ hash: 'task-2', task: TASK, mutablePaths: ['train.mjs'], immutableHash: 'i', folder: '/tasks/toy' },
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
      /^The new starting text of train\.mjs is not run by itself\..*"\/tasks\/toy\/workspace\/train\.mjs".*start \/tasks\/toy --id begun-2$/,
    ),
  ]);
});
