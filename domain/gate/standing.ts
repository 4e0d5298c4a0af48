import { sd } from '../statistics/series.ts';
import { effectiveN, findSubject, isDeterministic, newSubject, noiseSd, ownSd } from './subject.ts';
import type { GateConfig, GateState } from './types.ts';

/** Standing of a candidate, in the units of the metric; `mean` is null before its first run. */
export interface Standing {
  candidateId: string;
  mean: number | null;
  /** Sd of one run; null until two runs show it. */
  sd: number | null;
  /** Number of runs; bit-identical ones count as one. */
  n: number;
  ofTrial: number | null;
}

function standingOf(state: GateState, candidateId: string): Standing {
  const subject = findSubject(state, candidateId) ?? newSubject(candidateId, null, null);
  const runs = subject.fresh.n > 0 ? subject.fresh : subject.screen;
  return {
    candidateId,
    mean: runs.n > 0 ? runs.mean * state.sign : null,
    sd: state.noise.df > 0 ? ownSd(state, subject) : null,
    n: effectiveN(runs),
    ofTrial: subject.ofTrial,
  };
}

/** Standing of the incumbent, which is a claim. */
export function claim(state: GateState): Standing {
  return standingOf(state, state.incumbentId);
}

/** True if any run gave a value to compare with. */
export const hasValue = (state: GateState): boolean => state.rawBest !== null || claim(state).mean !== null;

/** Standing of the lead, from which the search goes on, with its shrunken estimate and standard error; no claim. */
export function lead(state: GateState): Standing & { estimate: number | null; error: number } {
  const standing = standingOf(state, state.leadId);
  const belief = findSubject(state, state.leadId)?.belief ?? { mean: 0, variance: 0 };
  const estimate = standing.n > 0 ? belief.mean * state.sign : null;
  return { ...standing, estimate, error: Math.sqrt(belief.variance) };
}

/** Standing of the unmodified candidate. */
export function baseline(state: GateState): Standing {
  const { series } = state.baseline;
  const spread = series.n > 2 ? sd(series) : noiseSd(state);
  return {
    candidateId: state.baselineId,
    mean: series.n > 0 ? series.mean * state.sign : null,
    sd: state.noise.df > 0 ? spread : null,
    n: effectiveN(series),
    ofTrial: null,
  };
}

/** True unless the standing of the unmodified candidate still waits for runs. */
export const isMeasured = ({ calibrating, baselineId }: GateState): boolean => calibrating?.candidateId !== baselineId;

/** Candidates that a search may start from. The lead is the incumbent under the strict rule, and if nothing varies. */
export function searchPoints(
  config: GateConfig,
  state: GateState,
): { original: string; incumbent: string; lead: string } {
  const { baselineId, incumbentId, leadId } = state;
  const isExact = config.policy === 'strict' || isDeterministic(state);
  return { original: baselineId, incumbent: incumbentId, lead: isExact ? incumbentId : leadId };
}
