import { pauseAndStopAtEnd, isObject, recordedEnd } from '../../domain/floor/pause-and-stop.ts';
import { restartArgs } from '../../domain/floor/restart-args.ts';
import { FLOOR_MEMO, RESTART_MEMO } from '../../domain/floor/floor.ts';
import { jobArgsOf } from '../../domain/messages/job-args.ts';
import { parseTrialId } from '../../domain/trial/ids.ts';
import { lastRun, type OpenRun } from '../../infra/temporal/open-runs.ts';
import { readHistory } from '../../infra/temporal/read-history.ts';
import type { Restart } from '../../db/schema/restart.ts';
import type { Config } from '../../config/load.ts';
import { findTask } from '../../tasks/find-task.ts';
import { loadTask } from '../../tasks/load.ts';
import type { FloorDeps } from './floor-deps.ts';

type From = Pick<FloorDeps, 'client' | 'store' | 'nameOf' | 'warn'>;

/**
 * Stores how each old run is started again, before any is terminated. Returns the runs that may be terminated. A run
 * that could not be read stays open, with a warning.
 */
export async function noteRestarts(from: From, old: readonly OpenRun[]): Promise<OpenRun[]> {
  const noted: OpenRun[] = [];
  const note = async (run: OpenRun): Promise<void> => {
    try {
      await NOTES[run.type](from, run);
      noted.push(run);
    } catch (error) {
      from.warn(`${run.workflowId} is of an older version and stays open; the worker cannot read it: ${String(error)}`);
    }
  };
  // Trials come after their researches: a research with a stored restart adopts its trials by itself.
  for (const run of old.filter(({ type }) => type !== 'trial')) await note(run);
  for (const run of old.filter(({ type }) => type === 'trial')) await note(run);
  return noted;
}

async function noteResearch({ client, store, nameOf }: From, run: OpenRun): Promise<void> {
  const { workflowId, runId } = run;
  const history = await readHistory(client, run);
  const over = recordedEnd(history.lastPhase);
  if (over !== null) {
    // The run was about to close. If it were started again, a research that a person stopped would continue.
    await store.research.recordPhase({ researchId: workflowId, ...over });
    await store.research.forgetRestart(workflowId);
    return;
  }
  const { args, setWindow } = history;
  const known = await store.research.findOpening(workflowId);
  const opened = known !== undefined && (known.runId === runId || (isObject(args) && args['carry'] !== undefined));
  const again = restartArgs(args, { opened, setWindow, pauseAndStop: pauseAndStopAtEnd(history) });
  await store.research.noteRestart({
    workflowId,
    type: 'research',
    runId,
    start: { ...(await shownOf(client, run)), args: await withTask(again, { taskName: known?.taskName, nameOf }) },
  });
}

/**
 * Replaces a path to a task by the task's name if the folder has another task by now, because a person changed it: the
 * stored version continues.
 */
async function withTask(
  args: unknown,
  { taskName, nameOf }: { taskName: string | undefined; nameOf: From['nameOf'] },
): Promise<unknown> {
  if (taskName === undefined || !isObject(args) || typeof args['task'] !== 'string') return args;
  const name = await nameOf(args['task']);
  return name === null || name === taskName ? args : { ...args, task: taskName };
}

/**
 * Stores the restart of a trial only if no research adopts it, or if it was cancelled. Its research did not receive the
 * cancellation, so the new run is cancelled again.
 */
async function noteTrial({ client, store }: From, run: OpenRun): Promise<void> {
  const { workflowId, runId } = run;
  const researchId = parseTrialId(workflowId)?.researchId ?? '';
  const { args, isCancelled } = await readHistory(client, run);
  if (!isCancelled && (await adoptsTrials({ client, store }, researchId))) return;
  const spec = (await store.research.findUnfinished(researchId)).find(({ trialId }) => trialId === workflowId);
  const known = await store.research.findOpening(researchId);
  // The trial has its outcome, or belongs to another database.
  if (!spec || !known) return;
  const tempo = isObject(args) && typeof args['tempo'] === 'number' ? args['tempo'] : 1;
  await store.research.noteRestart({
    workflowId,
    type: 'trial',
    runId,
    start: {
      ...(await shownOf(client, run)),
      args: { ...spec, researchId, taskName: known.taskName, tempo, adopted: true },
    },
  });
}

/** True if a research adopts its trials by itself: it has a stored restart, or it has not begun yet. */
async function adoptsTrials({ client, store }: Pick<From, 'client' | 'store'>, researchId: string): Promise<boolean> {
  if ((await store.research.findRestarts()).some((row) => row.workflowId === researchId)) return true;
  const research = await lastRun(client, researchId);
  if (!research?.isOpen) return false;
  return !(await readHistory(client, { workflowId: researchId, runId: research.runId })).isBegun;
}

/**
 * Stores the restart of a job. An opened job restarts from its row, and adopts its run; else the new workflow opens it.
 */
async function noteJob({ client, store }: From, run: OpenRun): Promise<void> {
  const { workflowId, runId } = run;
  const { args } = await readHistory(client, run);
  const known = await store.job.findJob(workflowId);
  const again = known ? jobArgsOf(known.job) : null;
  const tempo = isObject(args) && typeof args['tempo'] === 'number' ? { tempo: args['tempo'] } : {};
  await store.research.noteRestart({
    workflowId,
    type: 'job',
    runId,
    start: { ...(await shownOf(client, run)), args: again ? { ...again, ...tempo } : args },
  });
}

/** Stores nothing: a due update is a row, from which its research starts it again. */
const noteUpdate = (): Promise<void> => Promise.resolve();

/** Stores nothing: a worker starts the workflow of the installation once it runs. */
const noteInstallation = (): Promise<void> => Promise.resolve();

/** Functions that store a restart, by workflow type. */
const NOTES = {
  research: noteResearch,
  trial: noteTrial,
  job: noteJob,
  update: noteUpdate,
  installation: noteInstallation,
} satisfies Record<OpenRun['type'], unknown>;

/** Memo and summaries of a run, so that the Web UI shows the new run as before. */
async function shownOf(client: From['client'], { workflowId, memo = {} }: OpenRun): Promise<Omit<Restart, 'args'>> {
  const { staticSummary, staticDetails } = (await (await lastRun(client, workflowId))?.shown()) ?? {};
  const { [FLOOR_MEMO]: floor, [RESTART_MEMO]: restartOf, quiet, ...kept } = memo;
  void [floor, restartOf, quiet];
  const shown: Omit<Restart, 'args'> = { memo: kept };
  if (staticSummary !== undefined) shown.staticSummary = staticSummary;
  if (staticDetails !== undefined) shown.staticDetails = staticDetails;
  return shown;
}

/** Reads the name of the task that a name or path leads to; null if none can be read there. */
export async function taskName(
  nameOrPath: string,
  { packageRoot }: Pick<Config, 'packageRoot'>,
): Promise<string | null> {
  try {
    const folder = await findTask(nameOrPath, { cwd: process.cwd(), builtin: `${packageRoot}/tasks` });
    return (await loadTask(folder)).task.name;
  } catch {
    return null;
  }
}
