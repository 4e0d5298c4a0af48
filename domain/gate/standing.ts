import { sd } from '../statistics/series.ts';
import { effectiveN, findSubject, isDeterministic, newSubject, noiseSd, ownSd } from './subject.ts';
import type { GateConfig, GateState } from './types.ts';

/** Where a candidate stands, in the units of the metric; `mean` and `sd` are null where there was no run yet. */
export interface Standing {
  candidateId: string;
  mean: number | null;
  /** Sd of one run; null until two runs show it. */
  sd: number | null;
  /** Runs; bit-identical ones count as one. */
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

/** The incumbent: a claim. */
export function claim(state: GateState): Standing {
  return standingOf(state, state.incumbentId);
}

/** Whether any run gave a value that it compares with. */
export const hasValue = (state: GateState): boolean => state.rawBest !== null || claim(state).mean !== null;

/** The lead: where the search stands, with its shrunken estimate and that one's standard error; no claim. */
export function lead(state: GateState): Standing & { estimate: number | null; error: number } {
  const standing = standingOf(state, state.leadId);
  const belief = findSubject(state, state.leadId)?.belief ?? { mean: 0, variance: 0 };
  const estimate = standing.n > 0 ? belief.mean * state.sign : null;
  return { ...standing, estimate, error: Math.sqrt(belief.variance) };
}

/** The unmodified candidate. */
export function baseline(state: GateState): Standing {
  const { series } = state.baseline;
  const own = series.n > 2 ? sd(series) : noiseSd(state);
  return {
    candidateId: state.baselineId,
    mean: series.n > 0 ? series.mean * state.sign : null,
    sd: state.noise.df > 0 ? own : null,
    n: effectiveN(series),
    ofTrial: null,
  };
}

/** Whether no run of the unmodified candidate is waited for to know where it stands. */
export const isMeasured = ({ calibrating, baselineId }: GateState): boolean => calibrating?.candidateId !== baselineId;

/** Candidates that a search may start from; the lead is the incumbent under a rule without one, and where nothing varies. */
export function searchPoints(
  config: GateConfig,
  state: GateState,
): { original: string; incumbent: string; lead: string } {
  const { baselineId, incumbentId, leadId } = state;
  const isExact = config.policy === 'strict' || isDeterministic(state);
  return { original: baselineId, incumbent: incumbentId, lead: isExact ? incumbentId : leadId };
}
