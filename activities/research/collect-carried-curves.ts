import { toCarriedCurve, type CarriedCurve, MOST_CARRIED } from '../../domain/abort/carried/carried-curve.ts';
import { FEWEST } from '../../domain/abort/rules/matched-time/against-all.ts';
import { abortSettings } from '../../domain/abort/settings.ts';
import type { Task } from '../../domain/task/task.ts';
import type { PickStatements } from '../deps.ts';

/** Newest runs among which usable curves are sought: some curves have gaps. */
const MOST_SOUGHT = 4 * MOST_CARRIED;
/** Curves that are loaded at once. */
const PAGE = 25;
/** Points of each curve: as many as a rule learns from. */
const POINTS = 2000;

/**
 * Collects the finished curves that a new research starts with; null if its task wants none, or too few are comparable.
 */
export async function collectCarriedCurves(
  { store }: PickStatements<'run', 'findComparableRuns' | 'loadCurves'>,
  { task, metricKey }: { task: Task; metricKey: string },
): Promise<{ curves: CarriedCurve[]; researches: number } | null> {
  const settings = abortSettings(task, null);
  if (!settings?.carries) return null;
  const found = await store.run.findComparableRuns({ metricKey, task, most: MOST_SOUGHT });
  // The newest first.
  found.reverse();
  const newest: CarriedCurve[] = [];
  for (let i = 0; i < found.length && newest.length < MOST_CARRIED; i += PAGE) {
    const page = found.slice(i, i + PAGE);
    const points = await store.run.loadCurves({ runs: page, most: POINTS });
    page.forEach(({ jobId, value, auditProbability }, j) => {
      const weight = 1 / (auditProbability ?? 1);
      const run = { points: points[j] ?? [], budget: settings.budget, final: value, weight };
      const curve = toCarriedCurve(jobId, run, settings.config.burnIn);
      if (curve) newest.push(curve);
    });
  }
  const curves = newest.slice(0, MOST_CARRIED).reverse();
  if (curves.length < FEWEST) return null;
  const kept = new Set(curves.map(({ trialId }) => trialId));
  const researchIds = found.filter(({ jobId }) => kept.has(jobId)).map(({ researchId }) => researchId);
  return { curves, researches: new Set(researchIds).size };
}
