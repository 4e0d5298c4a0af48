import { log } from '@temporalio/activity';
import { adviceFor } from '../../domain/tools/advice.ts';
import { findMissingTool } from '../../domain/tools/find-missing-tool.ts';
import type { Task } from '../../domain/task/task.ts';
import type { PickDeps } from '../deps.ts';

/** A program of a task that failed on a host, with its exit code and output. */
export interface FailedProgram {
  host: string;
  task: Pick<Task, 'run' | 'environment'>;
  said: { exitCode: number | null; log: string };
  /** Set if the program was the evaluator. */
  evaluator?: { readable: readonly string[] } | undefined;
}

/**
 * Advice for a program that did not find a program, module or file: its location on the host and the line for
 * task.yaml. Null if the output names nothing missing, or the location is unknown.
 */
export async function adviceOn(
  deps: PickDeps<'hosts', 'computeOf' | 'isOwnHost'>,
  { host, task, said, evaluator }: FailedProgram,
): Promise<string | null> {
  const missing = findMissingTool(said);
  if (missing === null) return null;
  const { path, readable } = task.run;
  try {
    const finding = await deps.hosts.computeOf(host).locateMissing(missing, { path, beside: [] });
    const machine = deps.hosts.isOwnHost(host) ? 'this machine' : `host ${host}`;
    const lock = task.environment?.lock ?? null;
    return adviceFor(missing, finding, { path, readable, lock, machine, evaluator });
  } catch (error) {
    // The failure is reported without the advice.
    log.warn('could not search for what a program did not find', { host, missing, error: String(error) });
    return null;
  }
}
