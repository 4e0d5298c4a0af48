import type { FollowedRun } from '../../../db/run/run.ts';
import { abortSettings, type AbortSettings, curveBudget } from '../../../domain/abort/settings.ts';
import type { CurvePoint } from '../../../domain/abort/types.ts';
import { withSettings } from '../../../domain/task/overrides.ts';
import type { Task } from '../../../domain/task/task.ts';
import type { ActivityDeps } from '../../deps.ts';
import { createAbortLearner, type AbortLearner } from './abort-learner.ts';
import { createAbortWatch, type AbortWatch } from './abort-watch.ts';

/** Learners that a worker keeps, the last used ones. Any other is built again from the database. */
const LEARNERS = 32;
/** Points of a run's curve that are loaded by a monitor that takes the run over. */
const CURVE_POINTS = 100_000;

/** Opens the watch of a run, null if no rule may stop the run early, and its curve so far, null if nothing reads it. */
export type OpenAbort = (
  run: FollowedRun,
  task: Task,
) => Promise<{ abort: AbortWatch | null; curve: CurvePoint[] | null }>;

/**
 * Keeps one learner for each research, task version and settings of the rule, for all runs that this worker follows.
 */
export function createAbortWatches({ store }: Pick<ActivityDeps, 'store'>): OpenAbort {
  const learners = new Map<string, AbortLearner>();

  const learnerOf = (researchId: string, taskHash: string, settings: AbortSettings): AbortLearner => {
    const key = JSON.stringify([researchId, taskHash, settings]);
    const learner = learners.get(key) ?? createAbortLearner({ store, researchId, taskHash, settings });
    // Deleting first moves the key to the end: the map is in the order of last use.
    learners.delete(key);
    learners.set(key, learner);
    const [oldest] = learners.keys();
    if (learners.size > LEARNERS && oldest !== undefined) learners.delete(oldest);
    return learner;
  };

  const open = async (run: FollowedRun, task: Task): Promise<AbortWatch | null> => {
    // A task without progress lines has no curve to judge, whatever the research's overrides are.
    if (curveBudget(task) === null) return null;
    const { trial, research } = await store.trial.loadTrialAndResearch(run.jobId);
    const settings = abortSettings(withSettings(task, research.settings), research.budget.trials ?? null);
    if (settings === null) return null;
    // Runs of a known candidate are estimates: stopping the bad ones would bias them.
    if (trial.kind !== 'search') return null;
    const learner = learnerOf(trial.researchId, run.taskHash, settings);
    return createAbortWatch({ store, trial, run, settings, learner });
  };

  return async (run, task) => {
    const abort = await open(run, task);
    // Besides the rule, only the hard rule `too-slow` reads the curve, and it needs the planned steps.
    if (abort === null && task.progress?.steps === undefined) return { abort, curve: null };
    return { abort, curve: run.logOffset > 0 ? await store.run.loadCurve({ ...run, most: CURVE_POINTS }) : [] };
  };
}
