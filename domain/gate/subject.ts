import { addValue, EMPTY_SERIES, isConstant, sd, type Series } from '../statistics/series.ts';
import type { GateState, Subject } from './types.ts';

/** Most values of a candidate that are stored one by one. */
export const MOST_VALUES = 30;
/** Most failed re-runs of a candidate in succession; after more, its comparison is given up. */
export const MOST_FAILURES = 3;
/** Most degrees of freedom of the pooled noise, so that it follows slow changes. */
const MOST_DF = 120;

/** A candidate that the gate begins to follow. */
export function newSubject(candidateId: string, parentId: string | null, ofTrial: number | null): Subject {
  return {
    candidateId,
    parentId,
    ofTrial,
    screen: EMPTY_SERIES,
    fresh: EMPTY_SERIES,
    values: [],
    belief: { mean: 0, variance: 0 },
    failures: 0,
    failed: 0,
  };
}

export function findSubject(state: GateState, candidateId: string | null): Subject | undefined {
  return state.subjects.find((subject) => subject.candidateId === candidateId);
}

/** The subject of a candidate; added if the gate did not follow it yet. */
export function subjectOf(state: GateState, candidateId: string): Subject {
  const found = findSubject(state, candidateId);
  if (found) return found;
  const made = newSubject(candidateId, null, null);
  state.subjects.push(made);
  return made;
}

/** Standard deviation of one run, from all candidates that ran more than once; 0 if nothing varied. */
export function noiseSd(state: GateState): number {
  return state.noise.df > 0 ? Math.sqrt(state.noise.ss / state.noise.df) : 0;
}

/** True if re-runs have shown no noise at all: they were bit-identical under different seeds. */
export function isDeterministic(state: GateState): boolean {
  return state.noise.df > 0 && state.noise.ss === 0;
}

/** True if no run of the unmodified version has failed. False for states of 0.2, which did not count failures. */
export function neverFails(state: GateState): boolean {
  return findSubject(state, state.baselineId)?.failed === 0;
}

/** Number of independent runs: bit-identical ones count as one. */
export function effectiveN(series: Series): number {
  return isConstant(series) ? 1 : series.n;
}

/** Adds a fresh run of a candidate to its statistics, the pooled noise and the belief. */
export function addFreshRun(state: GateState, subject: Subject, value: number): void {
  const before = subject.fresh;
  subject.fresh = addValue(before, value);
  if (subject.candidateId === state.incumbentId && state.races.length === 0)
    subject.after = addValue(subject.after ?? EMPTY_SERIES, value);
  subject.values = [...subject.values, value].slice(-MOST_VALUES);
  if (before.n > 0) addNoise(state, subject.fresh.m2 - before.m2);
  const noise = noiseSd(state) ** 2;
  const { mean, variance } = subject.belief;
  if (before.n === 0 && variance === 0) subject.belief = { mean: value, variance: noise };
  else {
    const gain = variance + noise > 0 ? variance / (variance + noise) : 1;
    subject.belief = { mean: mean + gain * (value - mean), variance: variance * (1 - gain) };
  }
}

/**
 * Adds a squared deviation to the pooled noise. The variances of beliefs are scaled with the noise, so that each belief
 * keeps its weight in runs.
 */
function addNoise(state: GateState, squares: number): void {
  const before = noiseSd(state) ** 2;
  state.noise.ss += squares;
  state.noise.df += 1;
  if (state.noise.df > MOST_DF) {
    state.noise.ss *= MOST_DF / state.noise.df;
    state.noise.df = MOST_DF;
  }
  const factor = before > 0 ? noiseSd(state) ** 2 / before : 1;
  for (const { belief } of state.subjects) belief.variance *= factor;
}

/** Pools all runs of a candidate as those that judge it. */
export function poolRuns(subject: Subject): void {
  subject.screen = subject.values.reduce(addValue, subject.screen);
  subject.fresh = EMPTY_SERIES;
  subject.values = [];
}

/** Plain mean and variance of a candidate's fresh runs, as a belief. */
export function beliefFromRuns(state: GateState, subject: Subject): { mean: number; variance: number } {
  const n = Math.max(1, effectiveN(subject.fresh));
  return { mean: subject.fresh.mean, variance: noiseSd(state) ** 2 / n };
}

/** Sample sd of a candidate's own runs if there are more than two, else the pooled sd. */
export function ownSd(state: GateState, subject: Subject): number {
  return subject.fresh.n > 2 ? sd(subject.fresh) : noiseSd(state);
}
