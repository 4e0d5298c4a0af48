import { askedBefore, isObject, recordedEnd } from '../../domain/floor/asked-before.ts';
import { restartArgs } from '../../domain/floor/restart-args.ts';
import { FLOOR_MEMO, RESTART_MEMO } from '../../domain/floor/floor.ts';
import { jobArgsOf } from '../../domain/messages/job-args.ts';
import { parseTrialId } from '../../domain/trial/ids.ts';
import { lastRun, type OpenRun } from '../../infra/temporal/open-runs.ts';
import { readHistory } from '../../infra/temporal/read-history.ts';
import type { Config } from '../../config/load.ts';
import { findTask } from '../../tasks/find-task.ts';
import { loadTask } from '../../tasks/load.ts';
import type { FloorDeps } from './floor-deps.ts';

type From = Pick<FloorDeps, 'client' | 'store' | 'nameOf' | 'warn'>;

/**
 * Writes down of each old run how it is begun again, before any is ended. Returns those that may be ended: one that could not
 * be noted is left open, and told of.
 */
export async function noteRestarts(from: From, old: readonly OpenRun[]): Promise<OpenRun[]> {
  const noted: OpenRun[] = [];
  const note = async (run: OpenRun): Promise<void> => {
    try {
      await NOTES[run.type](from, run);
      noted.push(run);
    } catch (error) {
      from.warn(
        `${run.workflowId} is of an older version and stays open, since it could not be read: ${String(error)}`,
      );
    }
  };
  // Trials after their researches: a noted research takes them up by itself.
  for (const run of old.filter(({ type }) => type !== 'trial')) await note(run);
  for (const run of old.filter(({ type }) => type === 'trial')) await note(run);
  return noted;
}

async function noteResearch({ client, store, nameOf }: From, run: OpenRun): Promise<void> {
  const { workflowId, runId } = run;
  const history = await readHistory(client, run);
  const over = recordedEnd(history.lastPhase);
  if (over !== null) {
    // The run was about to close. Begun again, a research that a person stopped would go on.
    await store.research.recordPhase({ researchId: workflowId, ...over });
    await store.research.forgetRestart(workflowId);
    return;
  }
  const { args, setWindow } = history;
  const known = await store.research.findOpening(workflowId);
  const opened = known !== undefined && (known.runId === runId || (isObject(args) && args['carry'] !== undefined));
  const again = restartArgs(args, { opened, setWindow, asked: askedBefore(history) });
  await store.research.noteRestart({
    ...{ workflowId, type: 'research', runId },
    start: { ...(await shownOf(client, run)), args: await withTask(again, { taskName: known?.taskName, nameOf }) },
  });
}

/** A folder that by now is of another task, since a person changed the task, is left alone: the stored version goes on. */
async function withTask(args: unknown, on: { taskName: string | undefined; nameOf: From['nameOf'] }): Promise<unknown> {
  const { taskName, nameOf } = on;
  if (taskName === undefined || !isObject(args) || typeof args['task'] !== 'string') return args;
  const name = await nameOf(args['task']);
  return name === null || name === taskName ? args : { ...args, task: taskName };
}

/**
 * Only if no research adopts the trial, or if the trial was cancelled, which its research does not know: then it is cancelled
 * again.
 */
async function noteTrial({ client, store }: From, run: OpenRun): Promise<void> {
  const { workflowId, runId } = run;
  const researchId = parseTrialId(workflowId)?.researchId ?? '';
  const { args, isCancelled } = await readHistory(client, run);
  if (!isCancelled && (await adoptsTrials({ client, store }, researchId))) return;
  const spec = (await store.research.findUnfinished(researchId)).find(({ trialId }) => trialId === workflowId);
  const known = await store.research.findOpening(researchId);
  // It has its outcome, or is of another database.
  if (!spec || !known) return;
  const tempo = isObject(args) && typeof args['tempo'] === 'number' ? args['tempo'] : 1;
  await store.research.noteRestart({
    ...{ workflowId, type: 'trial', runId },
    start: {
      ...(await shownOf(client, run)),
      args: { ...spec, researchId, taskName: known.taskName, tempo, adopted: true },
    },
  });
}

/** A research that is begun again, or that nobody has taken up yet, adopts its trials by itself. */
async function adoptsTrials({ client, store }: Pick<From, 'client' | 'store'>, researchId: string): Promise<boolean> {
  if ((await store.research.findRestarts()).some((row) => row.workflowId === researchId)) return true;
  const research = await lastRun(client, researchId);
  if (!research?.isOpen) return false;
  return !(await readHistory(client, { workflowId: researchId, runId: research.runId })).isBegun;
}

/** A job that was opened goes on with what its row says, whose run its new workflow adopts; else it is opened by that. */
async function noteJob({ client, store }: From, run: OpenRun): Promise<void> {
  const { workflowId, runId } = run;
  const { args } = await readHistory(client, run);
  const known = await store.job.findJob(workflowId);
  const again = known ? jobArgsOf(known.job) : null;
  const tempo = isObject(args) && typeof args['tempo'] === 'number' ? { tempo: args['tempo'] } : {};
  await store.research.noteRestart({
    ...{ workflowId, type: 'job', runId },
    start: { ...(await shownOf(client, run)), args: again ? { ...again, ...tempo } : args },
  });
}

/** A due update is a row, by which its research begins it again. */
const noteUpdate = (): Promise<void> => Promise.resolve();

/** How a run is begun again, by the type of its workflow. */
const NOTES = { research: noteResearch, trial: noteTrial, job: noteJob, update: noteUpdate } satisfies Record<
  OpenRun['type'],
  unknown
>;

/** Memo and summaries, so that the Web UI shows it as before. */
async function shownOf(client: From['client'], { workflowId, memo = {} }: OpenRun) {
  const { staticSummary, staticDetails } = (await (await lastRun(client, workflowId))?.shown()) ?? {};
  const { [FLOOR_MEMO]: floor, [RESTART_MEMO]: restartOf, quiet, ...kept } = memo;
  void [floor, restartOf, quiet];
  return {
    memo: kept,
    ...(staticSummary === undefined ? {} : { staticSummary }),
    ...(staticDetails === undefined ? {} : { staticDetails }),
  };
}

/** The name of a task by its name or path; null where none can be read there. */
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
