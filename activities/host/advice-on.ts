import { log } from '@temporalio/activity';
import { adviceFor } from '../../domain/tools/advice.ts';
import { findMissingTool } from '../../domain/tools/find-missing-tool.ts';
import type { Task } from '../../domain/task/task.ts';
import type { PickDeps } from '../deps.ts';

/** A program of a task that failed on a host, and what it said. */
interface Failed {
  host: string;
  task: Pick<Task, 'run' | 'environment'>;
  said: { exitCode: number | null; log: string };
}

/**
 * Where the machine has the program, module or file that a failed program did not find, with the line for task.yaml; null where
 * it says nothing of that kind, or nothing is known.
 */
export async function adviceOn(
  deps: PickDeps<'hosts', 'computeOf' | 'isOwnHost'>,
  { host, task, said }: Failed,
): Promise<string | null> {
  const missing = findMissingTool(said);
  if (missing === null) return null;
  const { path, readable } = task.run;
  try {
    const finding = await deps.hosts.computeOf(host).locateMissing(missing, { path, beside: [] });
    const machine = deps.hosts.isOwnHost(host) ? 'this machine' : `host ${host}`;
    return adviceFor(missing, finding, { path, readable, lock: task.environment?.lock ?? null, machine });
  } catch (error) {
    // It is only told: the failure stands without it.
    log.warn('what a program did not find could not be looked for', { host, missing, error: String(error) });
    return null;
  }
}
