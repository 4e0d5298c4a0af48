import { isAbsolute, join } from 'node:path';
import type { TrialView } from '../../db/reads/read-trial.ts';
import { adviceFor, unlessMentioned } from '../../domain/tools/advice.ts';
import { findMissingTool } from '../../domain/tools/find-missing-tool.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import { configOf } from '../context.ts';
import type { Io } from '../io.ts';
import { readLocalHostName } from '../read-local-host-name.ts';
import { openCompute } from './protections.ts';

/**
 * Advice for a run on this machine that did not find a tool. Searches this shell's PATH and virtual environments in the
 * task's folder. Null if no folder has the tool, or if the worker's failure message gives advice already: the worker
 * searches its own PATH.
 */
export async function findToolAdvice(
  io: Io,
  { loaded, view, task }: { loaded: LoadedTask; view: TrialView; task: string },
): Promise<string | null> {
  const { trial, runs } = view;
  const { home, env } = configOf(io);
  if (runs[0]?.host !== (await readLocalHostName(home)) || trial.failureMessage?.includes('In task.yaml')) return null;
  const missing = findMissingTool({ exitCode: EXIT, log: trial.evaluatorNotes ?? runs[0]?.logTail ?? '' });
  if (missing === null) return null;
  const folder = isAbsolute(task) ? ['.venv', 'venv'].map((name) => join(task, name, 'bin')) : [];
  const beside = [...(env.PATH ?? '').split(':').filter(isAbsolute), ...folder];
  const { run, environment } = loaded.task;
  const finding = await (await openCompute(io)).locateMissing(missing, { path: run.path, beside });
  if (finding.found.length === 0) return null;
  const { path, readable } = run;
  const advised = { path, readable, lock: environment?.lock ?? null, machine: 'this machine' };
  const advice = adviceFor(missing, finding, advised);
  return unlessMentioned(advice, trial.failureMessage);
}

/** A shell's exit code for a command that it did not find. Assumed for every run, so that shell messages count, too. */
const EXIT = 127;
