import { findSubject, noiseSd, subjectOf } from '../subject.ts';
import type { GateConfig, GateState } from '../types.ts';

/**
 * Reason why the gate cannot take a value of another research as the first run of a candidate; null if it can. Such a
 * value is compared with the lead like a search run, and may be discarded by it. It must not make a claim, and not
 * count among the runs that measure noise. `value`: in the units of the metric.
 */
export function reuseObstacle(
  config: GateConfig,
  state: GateState,
  { candidateId, value }: { candidateId: string; value: number },
): string | null {
  if (config.measuresOnly === true) return 'an evaluation measures each of its samples';
  if (config.repeats > 1) return 'the mean over several seeds decides';
  if (state.calibrating !== null) return 'the baseline is not measured yet';
  if (findSubject(state, candidateId)) return 'the research has runs of the candidate';
  // Without noise, a better value would be a claim, or would count among the fresh runs that a claim waits for.
  const claimsAtOnce = config.policy === 'strict' || noiseSd(state) === 0;
  const isBetter = value * state.sign > subjectOf(state, state.incumbentId).fresh.mean;
  return claimsAtOnce && isBetter ? 'a value better than the best is measured here' : null;
}
