import { isAbsolute, join } from 'node:path';
import type { TrialView } from '../../db/reads/read-trial.ts';
import { adviceFor, unlessMentioned } from '../../domain/tools/advice.ts';
import { findMissingTool } from '../../domain/tools/find-missing-tool.ts';
import { findLaunched } from '../../domain/tools/launcher.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import { configOf } from '../context.ts';
import type { Io } from '../io.ts';
import { readLocalHostName } from '../read-local-host-name.ts';
import { openCompute } from './protections.ts';

/** The failure of a run, with advice about the tool that it did not find. */
interface Explained {
  /** Message of the failure, without advice that contradicts the shell. */
  message: string | null;
  advice: string | null;
}

/**
 * Explains the failure of a run on this machine that did not find a tool. Searches this shell's PATH and environments,
 * and virtual environments in the task's folder. The worker has searched its own PATH: its advice stays if the shell
 * has no such tool.
 */
export async function explainFailure(
  io: Io,
  { loaded, view, task }: { loaded: LoadedTask; view: TrialView; task: string },
): Promise<Explained> {
  const { trial, runs } = view;
  const { home, env } = configOf(io);
  const message = trial.failureMessage;
  const unexplained = { message, advice: null };
  if (runs[0]?.host !== (await readLocalHostName(home))) return unexplained;
  const { run, environment, evaluator } = loaded.task;
  const commands = [run.command, evaluator.type === 'none' ? '' : evaluator.command];
  // The advice about a launcher such as `uv run` is complete: its own program would not help.
  if (message?.includes('In task.yaml') && commands.some((command) => findLaunched(command).length > 0))
    return unexplained;
  const missing = findMissingTool({ exitCode: EXIT, log: trial.evaluatorNotes ?? runs[0]?.logTail ?? '' });
  if (missing === null) return unexplained;
  const active = [env.VIRTUAL_ENV, env.CONDA_PREFIX].flatMap((prefix) => (prefix ? [join(prefix, 'bin')] : []));
  const folder = isAbsolute(task) ? ['.venv', 'venv'].map((name) => join(task, name, 'bin')) : [];
  const beside = [...(env.PATH ?? '').split(':'), ...active, ...folder].filter(isAbsolute);
  const finding = await (await openCompute(io)).locateMissing(missing, { path: run.path, beside });
  if (finding.found.length === 0) return unexplained;
  const { path, readable } = run;
  const advised = { path, readable, lock: environment?.lock ?? null, machine: 'this machine' };
  const advice = unlessMentioned(adviceFor(missing, finding, advised), message);
  // The worker's advice follows the first line of its message.
  return { message: advice === null ? message : (message?.split('\n')[0] ?? null), advice };
}

/** A shell's exit code for a command that it did not find. Assumed for every run, so that shell messages count, too. */
const EXIT = 127;
