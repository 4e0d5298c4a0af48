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
 * Where this shell, or an environment in the task's folder, has what a run on this machine did not find; null where nothing is
 * found, or where the worker, which has a PATH of its own, has told already.
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

/** Of a shell that found no such command; only a failed run is asked about, whose words are its own. */
const EXIT = 127;
