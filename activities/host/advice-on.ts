import { log } from '@temporalio/activity';
import { adviceFor } from '../../domain/tools/advice.ts';
import { findMissingTool } from '../../domain/tools/find-missing-tool.ts';
import { findLaunched } from '../../domain/tools/launcher.ts';
import { isLauncherFailure, launcherAdvice } from '../../domain/tools/launcher-advice.ts';
import type { Task } from '../../domain/task/task.ts';
import type { PickDeps } from '../deps.ts';

/** A program of a task that failed on a host, with its exit code and output. */
export interface FailedProgram {
  host: string;
  task: Pick<Task, 'run' | 'environment' | 'evaluator'>;
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
  const launched = launchedIn(task).find(({ tool }) => isLauncherFailure(said.log, tool));
  const missing = launched === undefined ? findMissingTool(said) : ANY_PYTHON;
  if (missing === null) return null;
  const { path, readable } = task.run;
  try {
    const finding = await deps.hosts.computeOf(host).locateMissing(missing, { path, beside: [] });
    if (launched !== undefined) return launcherAdvice(launched.command, { pythons: finding.pythons, script: null });
    const machine = deps.hosts.isOwnHost(host) ? 'this machine' : `host ${host}`;
    const lock = task.environment?.lock ?? null;
    return adviceFor(missing, finding, { path, readable, lock, machine, evaluator });
  } catch (error) {
    // The failure is reported without the advice.
    log.warn('could not search for what a program did not find', { host, missing, error: String(error) });
    return null;
  }
}

/** A module of every Python: a search for it finds the versions of a host. */
const ANY_PYTHON = { kind: 'python', name: 'sys' } as const;

/** The task's commands that a tool such as `uv run` starts. */
const launchedIn = ({ run, evaluator }: FailedProgram['task']): { tool: string; command: string }[] =>
  [run.command, ...(evaluator.type === 'none' ? [] : [evaluator.command])].flatMap((command) =>
    findLaunched(command).map(({ tool }) => ({ tool, command })),
  );
