import { ApplicationFailure } from '@temporalio/activity';
import type { StepBatch } from '../../domain/learning/step.ts';
import { lacksRoom } from '../../domain/learning/weights/room.ts';
import type { ActivityDeps } from '../deps.ts';

type Deps = Pick<ActivityDeps, 'store' | 'policy' | 'machine'>;

/** All weights come with two averages of the optimiser for each. */
const WITH_AVERAGES = 3;

/**
 * A step waits where its checkpoint may fill the disk, on which Postgres and Temporal write as well; the research says so. A
 * child is as large as its parent. The first one of low-rank weights is small.
 */
export async function requireStepRoom(
  { store, policy, machine }: Deps,
  { researchId, batch: { stepKey, parent, base, adapter } }: { researchId: string; batch: StepBatch },
): Promise<void> {
  // Done before: it is only answered.
  if ((await policy.checkpoints.bytes(policy.checkpoints.folder(stepKey))) > 0) return;
  const first = adapter.kind === 'full' ? WITH_AVERAGES * (await policy.checkpoints.bytes(base.path)) : 0;
  const checkpointBytes = parent === null ? first : await policy.checkpoints.bytes(parent.path);
  const full = lacksRoom((await machine.freeDisk()).bytes, checkpointBytes);
  if (full === null) return;
  await store.call.recordEndpoint({ researchId, down: `policy: ${full}` });
  throw ApplicationFailure.retryable(`policy: ${full}`, 'DiskFull');
}
