import { sd } from '../statistics/series.ts';
import { estimateBaseline, estimateIncumbent } from './estimate/estimate.ts';
import { halfWidthOf, type Estimate } from './estimate/interval.ts';
import { findSubject, isDeterministic, newSubject, noiseSd, ownSd } from './subject.ts';
import type { GateConfig, GateState } from './types.ts';

/** Standing of a candidate, in the units of the metric; `mean` is null before its first run. */
export interface Standing {
  candidateId: string;
  mean: number | null;
  /** Sd of one run; null until two runs show it. */
  sd: number | null;
  /** Number of runs, identical ones included. */
  n: number;
  ofTrial: number | null;
}

/** A standing with the 95 % interval of its mean; the bounds are null if the noise is unknown, or if no run varied. */
export interface Measured extends Standing {
  low: number | null;
  high: number | null;
}

function standingOf(state: GateState, candidateId: string): Standing {
  const subject = findSubject(state, candidateId) ?? newSubject(candidateId, null, null);
  const runs = subject.fresh.n > 0 ? subject.fresh : subject.screen;
  return {
    candidateId,
    mean: runs.n > 0 ? runs.mean * state.sign : null,
    sd: state.noise.df > 0 ? ownSd(state, subject) : null,
    n: runs.n,
    ofTrial: subject.ofTrial,
  };
}

/** Standing of the incumbent, which is a claim. */
export function claim(state: GateState): Measured {
  return withEstimate(state, standingOf(state, state.incumbentId), estimateIncumbent(state));
}

/** The standing with its estimate, if there is one, as mean. */
function withEstimate(state: GateState, standing: Standing, estimate: Estimate | null): Measured {
  if (!estimate) return { ...standing, low: null, high: null };
  const measured = { ...standing, mean: estimate.mean * state.sign, n: estimate.n };
  const half = state.noise.df === 0 ? 0 : halfWidthOf(estimate);
  if (half === 0) return { ...measured, low: null, high: null };
  return { ...measured, low: measured.mean - half, high: measured.mean + half };
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
export function baseline(state: GateState): Measured {
  const { series } = state.baseline;
  const spread = series.n > 2 ? sd(series) : noiseSd(state);
  const standing = {
    candidateId: state.baselineId,
    mean: null,
    sd: state.noise.df > 0 ? spread : null,
    n: series.n,
    ofTrial: null,
  };
  return withEstimate(state, standing, estimateBaseline(state));
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
