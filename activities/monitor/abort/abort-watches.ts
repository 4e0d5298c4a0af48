import type { FollowedRun } from '../../../db/run/run.ts';
import { abortSettings, type AbortSettings, curveBudget } from '../../../domain/abort/settings.ts';
import type { CurvePoint } from '../../../domain/abort/types.ts';
import { withSettings } from '../../../domain/task/overrides.ts';
import type { Task } from '../../../domain/task/task.ts';
import type { ActivityDeps } from '../../deps.ts';
import { createAbortLearner, type AbortLearner } from './abort-learner.ts';
import { createAbortWatch, type AbortWatch } from './abort-watch.ts';

/** Researches whose books a worker keeps; another one is read anew. */
const BOOKS = 32;
/** Points of a run's curve so far that are read back by a monitor that takes over. */
const CURVE_POINTS = 100_000;

/** The rule over one run of the task, null where nothing stops it early, and the curve so far, null where nobody looks at it. */
export type OpenAbort = (
  run: FollowedRun,
  task: Task,
) => Promise<{ abort: AbortWatch | null; curve: CurvePoint[] | null }>;

/** One book for each research, task version and settings of the rule, shared by all runs that this worker follows. */
export function createAbortWatches({ store }: Pick<ActivityDeps, 'store'>): OpenAbort {
  const books = new Map<string, AbortLearner>();

  const bookOf = (researchId: string, taskHash: string, settings: AbortSettings): AbortLearner => {
    const key = JSON.stringify([researchId, taskHash, settings]);
    const book = books.get(key) ?? createAbortLearner({ store, researchId, taskHash, settings });
    books.delete(key);
    books.set(key, book);
    const [oldest] = books.keys();
    if (books.size > BOOKS && oldest !== undefined) books.delete(oldest);
    return book;
  };

  const open = async (run: FollowedRun, task: Task): Promise<AbortWatch | null> => {
    // A task without progress lines has no rule, whatever the research's own values are.
    if (curveBudget(task) === null) return null;
    const { trial, research } = await store.trial.loadTrialAndResearch(run.trialId);
    const settings = abortSettings(withSettings(task, research.settings), research.budget.trials ?? null);
    if (settings === null) return null;
    // Runs of a known candidate are estimates: stopping the bad ones would bias them.
    if (trial.kind !== 'search') return null;
    const book = bookOf(trial.researchId, run.taskHash, settings);
    return createAbortWatch({ store, trial, run, settings, book });
  };

  return async (run, task) => {
    const abort = await open(run, task);
    // Beside the rule only the pace is read from a curve, and that needs the last step.
    if (abort === null && task.progress?.steps === undefined) return { abort, curve: null };
    return { abort, curve: run.logOffset > 0 ? await store.run.loadCurve({ ...run, most: CURVE_POINTS }) : [] };
  };
}
