import { toFinishedCurve } from '../../../domain/abort/carried/carried-curve.ts';
import { whyDropped } from '../../../domain/abort/carried/why-dropped.ts';
import type { AbortSettings } from '../../../domain/abort/settings.ts';
import type { FinishedCurve } from '../../../domain/abort/types.ts';
import type { Store } from '../../../db/store.ts';

/** Baseline runs that the test of carried curves waits for; fewer if the research plans fewer. */
const TESTERS = 3;
/** Points of a baseline run that are read. */
const POINTS = 2000;

/**
 * Reads the curves of earlier researches that a research compares with; null until enough baseline runs have ended to
 * test them. The result of the test is stored before it is used, so that it holds for every worker and causes one
 * alert.
 */
export async function readCarriedCurves(options: {
  store: Store;
  researchId: string;
  taskHash: string;
  settings: AbortSettings;
}): Promise<FinishedCurve[] | null> {
  const { store, researchId, taskHash, settings } = options;
  if (!settings.carries) return [];
  const runs = await store.run.findBaselineRuns({ researchId, taskHash });
  if (runs.length < TESTERS && runs.length < (await plannedBaselineRuns(store, researchId))) return null;
  const carried = await store.run.findCarried({ researchId, taskHash });
  if (!carried) return [];
  const known = carried.curves.map(toFinishedCurve);
  let { dropped } = carried;
  if (carried.testedAt === null) {
    const curves = await store.run.loadCurves({ runs, most: POINTS });
    const baseline = runs.map(({ value }, i) => ({ points: curves[i] ?? [], budget: settings.budget, final: value }));
    const why = whyDropped(known, { baseline, config: settings.config });
    if (why !== null) await store.research.insertAlert({ researchId, message: alertOf(known.length, why), once: true });
    dropped = await store.run.recordCarriedTest({ researchId, dropped: why });
  }
  return dropped === null ? known : [];
}

/** Baseline runs that the research plans. */
const plannedBaselineRuns = async (store: Store, researchId: string): Promise<number> =>
  (await store.research.findResearch(researchId))?.gateConfig.baselineRuns ?? TESTERS;

const alertOf = (n: number, why: string): string =>
  `early abort begins without data: the ${n} curves of earlier researches are dropped: ${why}`;
