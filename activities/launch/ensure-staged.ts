import type { TaskVersion } from '../../db/task/task-version.ts';
import type { Compute } from '../../infra/compute.ts';
import type { ActivityDeps } from '../deps.ts';
import { stageOf, loadStageFiles } from '../task/task-stage.ts';

/**
 * If a host lacks the files that all runs of a task share, stages them there. If the host loses the stage later, the
 * launch fails with `stage-missing`, and its retry stages the files again.
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
