import { upperQuantile } from '../statistics/student-t.ts';
import { effectiveN, findSubject, noiseSd } from './subject.ts';
import type { GateConfig, GateState, Subject } from './types.ts';

/** Gains in the units of the metric; positive gains are better whatever the direction. */
export interface GainReport {
  /** The best single search run, as a plain leaderboard would show it. Its gain is too high by selection. */
  raw: { n: number; candidateId: string; value: number; gain: number } | null;
  /** The incumbent's gain over the baseline, with a 95 % interval; null without a baseline. */
  claim: {
    candidateId: string;
    value: number;
    gain: number;
    low: number;
    high: number;
    runs: number;
    /** True if the value was corrected for its selection. Strict keeps, and keeps without noise, are as measured. */
    corrected: boolean;
  } | null;
}

/**
 * Reports the raw best beside the claim's gain. The claim's value is its shrunken estimate: the search run that brought
 * it up is corrected by the prior, later runs count at face value. Strict keeps are not corrected.
 */
export function reportGain(config: GateConfig, state: GateState): GainReport {
  const { series } = state.baseline;
  if (series.n === 0) return { raw: null, claim: null };
  const best = state.rawBest;
  const raw = best && { ...best, value: best.value * state.sign, gain: best.value - series.mean };
  const incumbent = findSubject(state, state.incumbentId);
  if (!incumbent || incumbent.fresh.n === 0) return { raw, claim: null };
  const isBaseline = incumbent.candidateId === state.baselineId;
  const shrunken = config.policy === 'strict' || isBaseline ? incumbent.fresh.mean : incumbent.belief.mean;
  const corrected = !isBaseline && config.policy !== 'strict' && isCorrected(incumbent, shrunken);
  const gain = isBaseline ? 0 : shrunken - series.mean;
  const variance = noiseSd(state) ** 2;
  const ownVariance = config.policy === 'strict' ? variance / effectiveN(incumbent.fresh) : incumbent.belief.variance;
  const error = isBaseline ? 0 : Math.sqrt(ownVariance + variance / effectiveN(series));
  const reach = error > 0 ? upperQuantile(0.025, Math.max(2, state.noise.df)) * error : 0;
  const { candidateId } = incumbent;
  const runs = effectiveN(incumbent.fresh);
  return {
    raw,
    claim: { candidateId, value: shrunken * state.sign, gain, low: gain - reach, high: gain + reach, runs, corrected },
  };
}

/** True if the value of a claim differs from the plain mean of all its runs. */
function isCorrected({ screen, fresh }: Subject, value: number): boolean {
  const mean = (screen.n * screen.mean + fresh.n * fresh.mean) / (screen.n + fresh.n);
  return Math.abs(value - mean) > 1e-9 * Math.abs(mean);
}
