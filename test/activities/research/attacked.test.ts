import { MockActivityEnvironment } from '@temporalio/testing';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createResearchLifecycleActivities } from '../../../activities/research-lifecycle.ts';
import { wantedRuns } from '../../../db/schema.ts';
import type { LoadedTask } from '../../../tasks/load.ts';
import { hashOf, TASK } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();

const LOADED: LoadedTask = {
  hash: 'attacked',
  task: TASK,
  yaml: '',
  prompt: null,
  evaluatorFiles: [],
  workspace: [{ path: 'train.mjs', content: Buffer.from('one'), executable: false }],
  mutablePaths: ['train.mjs'],
  immutableHash: 'i',
  evaluatorHash: 'e',
  metricKey: 'm',
  stageHash: 's',
  folder: '/tasks/toy',
  positionOf: () => null,
};

/** Opens a research of attacks on a worker that has no model. */
function open(researchId: string, { sandboxed }: { sandboxed: boolean }) {
  const deps = {
    store: bench.store,
    tasks: { loadTask: () => Promise.resolve(LOADED) },
    models: { llm: undefined, hasTrainer: () => false, hasOptimizer: () => false },
    pools: {
      slotsOf: () => Promise.resolve(2),
      diskSizeMb: () => Promise.resolve(10_000),
      memoryIn: () => null,
      protections: () =>
        Promise.resolve({ sandboxed, network: sandboxed, exposure: 'It sees all.', notes: ['no namespaces'] }),
    },
    temporal: { searchAttributes: { registered: true, reason: null } },
    machine: { sha256: hashOf },
    reach: () => undefined,
  } as unknown as ActivityDeps;
  const { openResearch } = createResearchLifecycleActivities(deps);
  return new MockActivityEnvironment().run(openResearch, { researchId, task: 'toy', check: 'attack' as const });
}

test('a research of attacks needs no model, proposes nothing, and measures its baseline three times', async () => {
  await open('attack/toy/a', { sandboxed: true });
  const research = await bench.store.research.findResearch('attack/toy/a');
  expect(research).toMatchObject({ budget: { trials: 0 } });
  expect(research?.gateConfig).toMatchObject({
    policy: 'noise-gated',
    baselineRuns: 3,
    repeats: 1,
    followsLead: false,
  });
  const wanted = await bench.db.select().from(wantedRuns).where(eq(wantedRuns.researchId, 'attack/toy/a'));
  expect(wanted.map(({ kind }) => kind)).toEqual(['baseline', 'baseline', 'baseline']);
});

test('a research of attacks is refused without a sandbox, even if its task names none', async () => {
  await expect(open('attack/toy/b', { sandboxed: false })).rejects.toThrow(
    /^run\.sandbox: required, but no sandbox is available here/,
  );
  expect(await bench.store.research.findResearch('attack/toy/b')).toBeUndefined();
});
