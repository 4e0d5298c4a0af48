import { isClaimByPerson } from './claim/claim.ts';
import { varianceFactor, runsByCandidate } from './estimate/correlation.ts';
import { estimateBaseline, estimateIncumbent, hasRunsAfter } from './estimate/estimate.ts';
import { differenceOf, halfWidthOf } from './estimate/interval.ts';
import { findSubject, isDeterministic } from './subject.ts';
import type { GateConfig, GateState } from './types.ts';

/**
 * Runs behind the value of a claim: `after`: runs after the claim, which nothing selected. `claim`: also those that
 * won the claim, so the value is too good by luck. `person`: a person made the claim. `measured`: runs as they are,
 * under the strict rule, without noise, or of the unmodified version.
 */
export type GainSource = 'after' | 'claim' | 'person' | 'measured';

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
    /** Number of runs in the value, identical ones included. */
    runs: number;
    source: GainSource;
    /** Number of runs after the claim. */
    after: number;
    /** True if runs after the claim made the gain smaller than the runs that won the claim. */
    corrected: boolean;
    /** Factor by which the correlation of successive runs widens the interval; 1: none was found. */
    widened: number;
  } | null;
}

/** Reports the raw best beside the claim's gain: the incumbent's estimate less that of the baseline. */
export function reportGain(config: GateConfig, state: GateState): GainReport {
  const base = estimateBaseline(state);
  if (!base) return { raw: null, claim: null };
  const best = state.rawBest;
  const raw = best && { ...best, value: best.value * state.sign, gain: best.value - base.mean };
  const estimate = estimateIncumbent(state);
  if (!estimate) return { raw, claim: null };
  const isBaseline = state.incumbentId === state.baselineId;
  const difference = differenceOf(estimate, base);
  const reach = isBaseline ? 0 : halfWidthOf(difference);
  const gain = isBaseline ? 0 : difference.mean;
  const source = sourceOf(config, state);
  const { fresh, after } = findSubject(state, state.incumbentId) ?? {};
  return {
    raw,
    claim: {
      candidateId: state.incumbentId,
      value: estimate.mean * state.sign,
      gain,
      low: gain - reach,
      high: gain + reach,
      runs: estimate.n,
      source,
      after: isBaseline ? 0 : (after?.n ?? 0),
      // Runs after the claim are among the fresh ones: they made the gain smaller if their mean is below that of all.
      corrected: source === 'after' && estimate.mean < (fresh?.mean ?? estimate.mean),
      widened: Math.sqrt(varianceFactor(runsByCandidate(state))),
    },
  };
}

function sourceOf(config: GateConfig, state: GateState): GainSource {
  if (state.incumbentId === state.baselineId) return 'measured';
  if (isClaimByPerson(state)) return 'person';
  if (config.policy === 'strict' || isDeterministic(state)) return 'measured';
  return hasRunsAfter(state) ? 'after' : 'claim';
}
