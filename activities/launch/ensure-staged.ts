import type { TaskVersion } from '../../db/task/task-version.ts';
import type { Compute } from '../../infra/compute.ts';
import type { ActivityDeps } from '../deps.ts';
import { stageOf, loadStageFiles } from '../task/task-stage.ts';

/**
 * Brings what a task's runs have in common to a host that lacks it. One that loses it after that says so at the launch, which
 * comes here again.
 */
export async function ensureStaged(
  deps: ActivityDeps,
  compute: Compute,
  version: Pick<TaskVersion, 'hash' | 'stageHash' | 'task' | 'mutablePaths' | 'stagesMutable'>,
): Promise<void> {
  const stage = stageOf(deps, version);
  if (await compute.isStaged(stage)) return;
  deps.reach('workspace-missing');
  await compute.stage(stage, await loadStageFiles(deps, version));
}
