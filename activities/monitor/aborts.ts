import type { FollowedRun } from '../../db/queries/run.ts';
import { abortSettings } from '../../domain/abort/settings.ts';
import type { CurvePoint } from '../../domain/abort/types.ts';
import type { ActivityDeps } from '../deps.ts';
import { createAbortBook, type AbortBook } from './abort-book.ts';
import { createAbortWatch, type AbortWatch } from './abort-watch.ts';

/** Researches whose books a worker keeps; another one is read anew. */
const BOOKS = 32;
/** Points of a run's curve so far that are read back by a monitor that takes over. */
const CURVE_POINTS = 100_000;

/** The rule over one run, null where nothing stops it early, and its curve so far. */
export type OpenAbort = (run: FollowedRun) => Promise<{ abort: AbortWatch | null; before: CurvePoint[] }>;

/** One book for each research and task version, shared by all runs that this worker follows. */
export function createAborts({ store }: Pick<ActivityDeps, 'store'>): OpenAbort {
  const books = new Map<string, AbortBook>();
  return async (run) => {
    const { task } = await store.loadTaskVersion(run.taskHash);
    const settings = abortSettings(task);
    const before = run.logOffset > 0 ? await store.loadCurve({ ...run, most: CURVE_POINTS }) : [];
    if (settings === null) return { abort: null, before };
    const trial = await store.loadTrial(run.trialId);
    // Runs of a known candidate are estimates: stopping the bad ones would bias them.
    if (trial.kind !== 'search') return { abort: null, before };
    const key = JSON.stringify([trial.researchId, run.taskHash]);
    const book =
      books.get(key) ?? createAbortBook({ store, researchId: trial.researchId, taskHash: run.taskHash, settings });
    books.delete(key);
    books.set(key, book);
    const [oldest] = books.keys();
    if (books.size > BOOKS && oldest !== undefined) books.delete(oldest);
    return { abort: createAbortWatch({ store, trial, run, settings, book }), before };
  };
}
