/** Counts of an audit: good survivors, and would-be aborts by their audit probability. Plain JSON. */
export interface AuditCounts {
  /** Good runs that the rule let live. */
  survivors: number;
  wanted: readonly WouldBeAborts[];
}

/** Would-be aborts of one audit probability, stopped ones included. */
export interface WouldBeAborts {
  probability: number;
  runs: number;
  /** Runs that went on to their end, and those of them that ended well. */
  audited: number;
  good: number;
}

/** Ended runs that are alike to the audit. */
export interface Audited {
  /** The runs became incumbent (or would have); null if they were stopped, so that their end is unknown. */
  good: boolean | null;
  /** Probability with which a would-be abort was audited; null for runs that the rule let live. */
  probability: number | null;
  /** Number of such runs; default: 1. */
  runs?: number;
}

export const NO_COUNTS: AuditCounts = { survivors: 0, wanted: [] };

/** Adds these runs to the counts. */
export function countRuns({ survivors, wanted }: AuditCounts, { good, probability, runs = 1 }: Audited): AuditCounts {
  if (probability === null) return { survivors: survivors + (good === true ? runs : 0), wanted };
  const before = wanted.find((stratum) => stratum.probability === probability) ?? { runs: 0, audited: 0, good: 0 };
  const after: WouldBeAborts = {
    probability,
    runs: before.runs + runs,
    audited: before.audited + (good === null ? 0 : runs),
    good: before.good + (good === true ? runs : 0),
  };
  return { survivors, wanted: [...wanted.filter((stratum) => stratum.probability !== probability), after] };
}

/**
 * The share of would-be aborts that end well, P(good | would-be abort): audited ones weighted by the inverse of their
 * probability, over the sum of these weights (Hájek 1971). Null without an audited one.
 */
export function wrongStops({ wanted }: AuditCounts): number | null {
  const all = weighted(wanted, ({ audited }) => audited);
  return all === 0 ? null : weighted(wanted, ({ good }) => good) / all;
}

/**
 * The share of good runs that the rule aborts, P(would-be abort | good), which is what the error target bounds:
 * weighted wrong would-be aborts over these and the good survivors. Null without a good run.
 */
export function falseAborts({ survivors, wanted }: AuditCounts): number | null {
  const wrong = weighted(wanted, ({ good }) => good);
  return wrong + survivors === 0 ? null : wrong / (wrong + survivors);
}

/** Horvitz and Thompson 1952: an unbiased sum over all would-be aborts, from those that were audited. */
const weighted = (wanted: readonly WouldBeAborts[], countOf: (stratum: WouldBeAborts) => number): number =>
  wanted.reduce((sum, stratum) => {
    const count = countOf(stratum);
    return sum + (count === 0 ? 0 : count / stratum.probability);
  }, 0);
