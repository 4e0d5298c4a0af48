import type { Compute } from '../../infra/compute.ts';
import type { ActivityDeps } from '../deps.ts';

/** Brings a task's workspace to a host that lacks it. One that loses it after that says so at the launch, which comes here again. */
export async function haveStaged(
  deps: ActivityDeps,
  compute: Compute,
  { hash, stageHash }: { hash: string; stageHash: string },
): Promise<void> {
  if (await compute.isStaged(stageHash)) return;
  deps.reach('workspace-missing');
  await compute.stage(stageHash, await deps.store.task.loadTaskFiles({ taskHash: hash, role: 'workspace' }));
}
