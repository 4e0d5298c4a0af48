import { finePercent, formatCount, formatSeconds, formatUsd } from '../../domain/text/format.ts';
import { plural } from '../../domain/text/plural.ts';

/** Stored counts of a model's calls. */
export interface CallCounts {
  answers: number;
  /** Answers that could not be used: unreadable, refused, cut, or edits that do not fit. */
  bad: number;
  /** Answers whose candidate had been tried before. */
  duplicates: number;
  /** Answers whose cost is unknown: their model has no price, or the endpoint did not count tokens. */
  unpriced: number;
  /** Requests that ended without an answer. */
  failed: number;
  /** Failed requests that the endpoint rejected with status 429. */
  limited: number;
  /** Requests that were repeated, since a worker died before it stored the answer. */
  repeated: number;
  /** Median latency of the answers, in seconds; null without answers. */
  p50: number | null;
  /** 95th percentile of the latency, in seconds; null without answers. */
  p95: number | null;
}

/** Rates of a model's calls, as shares of 1, and the cost of a claim. */
export interface CallRates {
  requests: number;
  answers: number;
  /** Share of bad answers; null without answers. */
  badRate: number | null;
  /** Share of answers with a known candidate; null without answers. */
  duplicateRate: number | null;
  /** Share of requests that were rejected with status 429. */
  limitedRate: number;
  latencySeconds: { p50: number; p95: number } | null;
  /** Answers whose cost is unknown, which no sum of USD contains. */
  unpriced: number;
  /** Spend per claim; null before the first claim, and for a single trial. */
  perClaim: { usd: number; tokens: number } | null;
}

/** Spend of a whole research, and the number of its claims. */
interface Bought {
  usd: number;
  tokens: number;
  claims: number;
}

/** Computes the rates of calls; null without requests. */
export function ratesOf(counts: CallCounts, bought: Bought | null = null): CallRates | null {
  const { answers, bad, duplicates, unpriced, failed, limited, repeated, p50, p95 } = counts;
  const requests = answers + failed + repeated;
  if (requests === 0) return null;
  const ofAnswers = (count: number): number | null => (answers === 0 ? null : count / answers);
  return {
    requests,
    answers,
    badRate: ofAnswers(bad),
    duplicateRate: ofAnswers(duplicates),
    limitedRate: limited / requests,
    latencySeconds: p50 === null || p95 === null ? null : { p50, p95 },
    unpriced,
    perClaim:
      bought && bought.claims > 0 ? { usd: bought.usd / bought.claims, tokens: bought.tokens / bought.claims } : null,
  };
}

/**
 * Describes rates: `118 answers of 121 requests, 4.2 % bad, 1.7 % duplicates · 0.8 % rejected as too many (HTTP 429) ·
 * latency p50 3.1 s, p95 12 s · USD without 9 answers of unknown cost`.
 */
export function describeRates({ requests, answers, unpriced, latencySeconds, perClaim, ...rates }: CallRates): string {
  const { badRate, duplicateRate, limitedRate } = rates;
  const shares =
    badRate === null || duplicateRate === null
      ? []
      : [`${finePercent(badRate)} bad`, `${finePercent(duplicateRate)} duplicates`];
  const parts = [
    [`${plural(answers, 'answer')} of ${plural(requests, 'request')}`, ...shares].join(', '),
    `${finePercent(limitedRate)} rejected as too many (HTTP 429)`,
  ];
  if (latencySeconds)
    parts.push(`latency p50 ${formatSeconds(latencySeconds.p50)}, p95 ${formatSeconds(latencySeconds.p95)}`);
  if (perClaim) {
    const usd = perClaim.usd > 0 ? ` and ${formatUsd(perClaim.usd)}` : '';
    parts.push(`${formatCount(perClaim.tokens)} tokens${usd} per claim`);
  }
  // Without any price nothing is shown in USD, so that no sum misleads.
  if (unpriced > 0 && unpriced < answers) parts.push(`USD without ${plural(unpriced, 'answer')} of unknown cost`);
  return parts.join(' · ');
}
