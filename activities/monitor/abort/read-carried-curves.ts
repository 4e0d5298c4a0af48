import { toFinishedCurve } from '../../../domain/abort/carried/carried-curve.ts';
import { whyDropped } from '../../../domain/abort/carried/why-dropped.ts';
import type { AbortSettings } from '../../../domain/abort/settings.ts';
import type { FinishedCurve } from '../../../domain/abort/types.ts';
import type { Store } from '../../../db/store.ts';

/** Baseline runs by which carried curves are tested, at least; fewer where the research has fewer. */
const TESTERS = 3;
/** Points of a baseline run that are read. */
const POINTS = 2000;

/**
 * The curves of earlier researches that a research compares with, or null while its baseline runs have yet to test them. What
 * the test says is stored before it is gone by: it stands for every worker, and is told once.
 */
export async function readCarriedCurves(from: {
  store: Store;
  researchId: string;
  taskHash: string;
  settings: AbortSettings;
}): Promise<FinishedCurve[] | null> {
  const { store, researchId, taskHash, settings } = from;
  if (!settings.carries) return [];
  const runs = await store.run.findBaselineRuns({ researchId, taskHash });
  if (runs.length < TESTERS && runs.length < (await wantedOf(store, researchId))) return null;
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

/** Baseline runs that the research asks for. */
const wantedOf = async (store: Store, researchId: string): Promise<number> =>
  (await store.research.findResearch(researchId))?.gateConfig.baselineRuns ?? TESTERS;

const alertOf = (n: number, why: string): string =>
  `early abort begins with nothing: the ${n} curves of earlier researches are dropped: ${why}`;
