import { binomialInterval } from '../../statistics/binomial-interval.ts';

/** An ended run that counts for the audit: it went to its end. */
export interface Audited {
  /** It became incumbent (or would have). */
  good: boolean;
  /** Probability with which its would-be abort was audited; null for a run that the rule let live. */
  probability: number | null;
  /** Runs that are alike in this; 1 unless told. */
  runs?: number;
}

export interface AuditEstimate {
  /** Audited would-be aborts, and how many of them ended well. */
  audited: number;
  wrong: number;
  /** Share of audited aborts that were wrong, with its exact two-sided 95 % interval. */
  direct: number | null;
  low: number;
  high: number;
  /** Share of good runs that the rule aborts, would-be aborts weighted by 1/p; null without a good run. */
  falseAborts: number | null;
  /** Against the target: the interval of the direct rate lies below it, above it, or is too wide to tell. */
  verdict: 'below target' | 'above target' | 'too few to say';
}

/**
 * False aborts as audits measure them. The direct rate is P(good | would-be abort) with the interval of Clopper and
 * Pearson; the share of good runs lost is Σ_wrong 1/p over Σ_wrong 1/p + good survivors (Horvitz and Thompson 1952).
 * Without any wrong one it takes about 183 audits until the two-sided interval lies below 2 %.
 */
export function estimate(runs: readonly Audited[], target: number): AuditEstimate {
  const audits = runs.filter((run) => run.probability !== null);
  const missed = audits.filter((run) => run.good);
  const [audited, wrong] = [count(audits), count(missed)];
  const { low, high } = audited === 0 ? { low: 0, high: 1 } : binomialInterval(wrong, audited, 0.975);
  const weighted = missed.reduce((sum, run) => sum + (run.runs ?? 1) / (run.probability ?? 1), 0);
  const survivors = count(runs.filter((run) => run.good && run.probability === null));
  return {
    audited,
    wrong,
    direct: audited === 0 ? null : wrong / audited,
    low,
    high,
    falseAborts: weighted + survivors === 0 ? null : weighted / (weighted + survivors),
    verdict: high <= target ? 'below target' : low > target ? 'above target' : 'too few to say',
  };
}

const count = (runs: readonly Audited[]): number => runs.reduce((sum, run) => sum + (run.runs ?? 1), 0);
