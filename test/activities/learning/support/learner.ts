import { MockActivityEnvironment } from '@temporalio/testing';
import type { ActivityDeps } from '../../../../activities/deps.ts';
import { createLearnActivities } from '../../../../activities/learn.ts';
import type { StepBatch, StepResult } from '../../../../domain/learning/step.ts';
import type { Checkpoints } from '../../../../infra/policy.ts';
import { hashOf } from '../../../cli/support/lineage.ts';
import type { useDatabase } from '../../../db/support.ts';

export const resultOf = ({ stepKey }: StepBatch): StepResult => ({
  stepKey,
  checkpoint: hashOf(stepKey),
  metrics: { rewardMean: -1, entropy: 1 },
  versions: {},
  seconds: {},
  skipped: [],
});

const NO_DISK: Checkpoints = {
  folder: (stepKey) => `/c/${stepKey}`,
  list: async () => [],
  bytes: async () => 0,
  remove: async () => undefined,
};

interface Around {
  checkpoints?: Checkpoints;
  freeBytes?: () => number;
  reach?: ActivityDeps['reach'];
}

/** Makes workers whose policies learn by `step`. */
export function useLearner(bench: Pick<ReturnType<typeof useDatabase>, 'store'>) {
  return (
    step: (batch: StepBatch) => Promise<StepResult> = async (batch) => resultOf(batch),
    { checkpoints = NO_DISK, freeBytes = () => 1e12, reach = () => undefined }: Around = {},
  ) => {
    const facts = {
      base: { path: '/b', sha256: hashOf('b') },
      tokenizer: { sha256: hashOf('t'), template: hashOf('') },
    };
    const deps = {
      store: bench.store,
      machine: { sha256: hashOf, freeDisk: async () => ({ bytes: freeBytes(), files: null }) },
      policy: { facts: async () => facts, checkpoints, step },
      reach,
    } as unknown as ActivityDeps;
    const { learn } = createLearnActivities(deps);
    return (researchId: string, k: number) => new MockActivityEnvironment().run(learn, { researchId, k });
  };
}
