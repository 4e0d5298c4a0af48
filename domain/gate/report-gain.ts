import { upperQuantile } from '../statistics/student-t.ts';
import { effectiveN, findSubject, noiseSd } from './subject.ts';
import type { GateConfig, GateState, Subject } from './types.ts';

/** What was gained, in the units of the metric; positive gains are better whatever the direction. */
export interface GainReport {
  /** The best single search run: what a plain leaderboard would show. Its gain is too high by selection. */
  raw: { n: number; candidateId: string; value: number; gain: number } | null;
  /** The incumbent's gain over the baseline, with a 95 % interval; null without a baseline. */
  claim: {
    candidateId: string;
    value: number;
    gain: number;
    low: number;
    high: number;
    runs: number;
    /** Whether it was corrected for its selection: strict keeps, and those where nothing is noisy, are as measured. */
    corrected: boolean;
  } | null;
}

/**
 * The raw running best beside the claim's gain. The claim's value is its shrunken estimate: the search run that brought
 * it up is read through the prior, later runs at face value. Strict keeps have no noise to correct by: no interval width.
 */
export function reportGain(config: GateConfig, state: GateState): GainReport {
  const { series } = state.baseline;
  if (series.n === 0) return { raw: null, claim: null };
  const best = state.rawBest;
  const raw = best && { ...best, value: best.value * state.sign, gain: best.value - series.mean };
  const incumbent = findSubject(state, state.incumbentId);
  if (!incumbent || incumbent.fresh.n === 0) return { raw, claim: null };
  const unmoved = incumbent.candidateId === state.baselineId;
  const shrunken = config.policy === 'strict' || unmoved ? incumbent.fresh.mean : incumbent.belief.mean;
  const corrected = !unmoved && config.policy !== 'strict' && isCorrected(incumbent, shrunken);
  const gain = unmoved ? 0 : shrunken - series.mean;
  const variance = noiseSd(state) ** 2;
  const own = config.policy === 'strict' ? variance / effectiveN(incumbent.fresh) : incumbent.belief.variance;
  const error = unmoved ? 0 : Math.sqrt(own + variance / effectiveN(series));
  const reach = error > 0 ? upperQuantile(0.025, Math.max(2, state.noise.df)) * error : 0;
  const { candidateId } = incumbent;
  const runs = effectiveN(incumbent.fresh);
  return {
    raw,
    claim: { candidateId, value: shrunken * state.sign, gain, low: gain - reach, high: gain + reach, runs, corrected },
  };
}

/** Whether the value of a claim is another than the plain mean of all its runs. */
function isCorrected({ screen, fresh }: Subject, value: number): boolean {
  const mean = (screen.n * screen.mean + fresh.n * fresh.mean) / (screen.n + fresh.n);
  return Math.abs(value - mean) > 1e-9 * Math.abs(mean);
}
