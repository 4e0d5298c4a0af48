import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createResearchLifecycleActivities } from '../../../activities/research-lifecycle.ts';
import { Task } from '../../../domain/task/task.ts';
import type { LoadedTask } from '../../../tasks/load.ts';
import { hashOf, TASK } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();

/** A search that learns, with other settings. */
const learner = (more: object = {}): object => ({
  ...TASK.search,
  proposer: { name: 'policy', answers: 'edits' },
  update: 'grpo',
  reward: 'improvement',
  ...more,
});

/** Opens a research, or changes its task, with a task folder whose search has these settings. */
function withFolder(hash: string, search: object) {
  const loaded: LoadedTask = {
    hash,
    immutableHash: 'i',
    evaluatorHash: 'e',
    metricKey: 'm',
    stageHash: 's',
    task: Task.parse({ ...TASK, search }),
    yaml: '',
    prompt: null,
    workspace: [{ path: 'train.mjs', content: Buffer.from('one'), executable: false }],
    evaluatorFiles: [],
    mutablePaths: ['train.mjs'],
    folder: '/tasks/toy',
    positionOf: () => null,
  };
  const deps = {
    store: bench.store,
    tasks: { loadTask: () => Promise.resolve(loaded) },
    models: {
      llm: {},
      llmModel: 'm',
      hasTrainer: () => true,
      hasOptimizer: () => false,
      canLearn: () => true,
      priceOf: () => 1,
    },
    pools: {
      slotsOf: () => Promise.resolve(2),
      diskSizeMb: () => Promise.resolve(2000),
      memoryIn: () => null,
      protections: () => Promise.resolve({ sandboxed: true, network: true, exposure: 'It can do little.', notes: [] }),
    },
    policy: { findBaseProblem: () => Promise.resolve(null) },
    temporal: { searchAttributes: { registered: true, reason: null } },
    machine: { sha256: hashOf },
    reach: () => undefined,
  } as unknown as ActivityDeps;
  const { openResearch, changeTask } = createResearchLifecycleActivities(deps);
  const inActivity = new MockActivityEnvironment();
  return {
    open: (researchId: string) => inActivity.run(openResearch, { researchId, task: 'toy' }),
    change: (researchId: string) => inActivity.run(changeTask, { researchId, task: '/tasks/toy' }),
  };
}

const rerunOf = async (id: string) => (await bench.store.research.findResearch(id))?.settings?.search.rerun;

test('a new research that learns has four runs of a candidate, others one, or as many as the task says', async () => {
  const rerun = async (id: string, search: object) => {
    const { open } = withFolder(id, search);
    await open(id);
    await open(id);
    return rerunOf(id);
  };
  expect(await rerun('learns', learner())).toBe(4);
  expect(await rerun('plain', TASK.search)).toBe(1);
  expect(await rerun('told', learner({ rerun: 2 }))).toBe(2);
});

test('a change of task decides anew how often a candidate runs', async () => {
  await withFolder('changed', learner({ rerun: 2 })).open('changed');
  await withFolder('changed 3', learner({ rerun: 3 })).change('changed');
  expect(await rerunOf('changed')).toBe(3);
  await withFolder('changed 4', learner()).change('changed');
  expect(await rerunOf('changed')).toBe(4);
});

test('a research that 0.2 began runs a candidate once, until its task sets a number', async () => {
  const { open } = withFolder('older', learner());
  await open('older');
  await bench.db.execute(`update researches set settings = settings #- '{search,rerun}' where id = 'older'`);
  await open('older');
  expect(await rerunOf('older')).toBeUndefined();
  for (const history of [3, 4]) await withFolder(`older ${history}`, learner({ history })).change('older');
  expect(await rerunOf('older')).toBeUndefined();
  await withFolder('older 5', learner({ rerun: 2 })).change('older');
  expect(await rerunOf('older')).toBe(2);
});
