import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createResearchLifecycleActivities } from '../../../activities/research-lifecycle.ts';
import { versionOf } from '../../../activities/task/read-task.ts';
import { argsOfEvaluation } from '../../../domain/learning/evaluation/define-evaluation.ts';
import { makerOf } from '../../../domain/search/proposer/makers.ts';
import { loadTask } from '../../../tasks/load.ts';
import { hashOf } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();
const RESEARCH = 'eval/lr-knob/v0-0a1b2c';

function openResearch(task: string) {
  const deps = {
    store: bench.store,
    tasks: { loadTask: () => Promise.reject(new Error('the folder is gone')) },
    models: { llm: undefined, hasTrainer: () => true, hasOptimizer: () => false, canLearn: () => true },
    pools: {
      slotsOf: () => Promise.resolve(2),
      diskSizeMb: () => Promise.resolve(10_000),
      memoryIn: () => null,
      lacks: () => Promise.resolve([]),
      protections: () => Promise.resolve({ sandboxed: true, network: true, exposure: 'It sees all.', notes: [] }),
    },
    policy: { findBaseProblem: () => Promise.resolve(null) },
    temporal: { searchAttributes: { registered: true, reason: null } },
    machine: { sha256: hashOf },
    reach: () => undefined,
  } as unknown as ActivityDeps;
  const key = { policy: 'lr-knob', version: 0, weights: 'smollm2-135m', taskHash: task, samples: 12, seed: 'root' };
  const learner = makerOf({ name: 'policy', base: 'smollm2-135m', maxTokens: 8 });
  const search = { reward: { name: 'improvement' as const, scale: 'absolute' as const }, context: 'none' as const };
  const evaluated = { search, learner, knobs: [] };
  const {
    search: overrides,
    abort,
    keep,
    ...args
  } = argsOfEvaluation(key, {
    task: { location: task, knobs: [] },
    evaluated,
  });
  void [abort, keep];
  const input = { researchId: RESEARCH, ...args, overrides: { search: overrides } };
  return new MockActivityEnvironment().run(createResearchLifecycleActivities(deps).openResearch, input as never);
}

test('an evaluation has a baseline, its samples as its budget, and claims and stops nothing', async () => {
  const loaded = await loadTask('tasks/lr-knob');
  await bench.store.task.saveTaskVersion(versionOf(loaded));
  for (const time of ['opened', 'opened again']) {
    await openResearch(loaded.hash);
    const research = await bench.store.research.findResearch(RESEARCH);
    expect(research, time).toMatchObject({
      taskHash: loaded.hash,
      proposer: 'policy',
      seedRoot: 'root',
      budget: { proposals: 12, whenSpent: 'stop' },
      gateConfig: { measuresOnly: true, policy: 'strict', baselineRuns: 3, repeats: 1, followsLead: false },
      settings: { search: { update: 'none', abort: 'none', parent: 'original', history: 0 } },
    });
    expect(research?.budget).not.toHaveProperty('trials');
  }
});
