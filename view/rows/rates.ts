import { finePercent, formatCount, formatSeconds, formatUsd } from '../../domain/text/format.ts';
import { plural } from '../../domain/text/plural.ts';

/** Counts of a model's calls, as they are stored. */
export interface CallCounts {
  answers: number;
  /** Answers that could not be used: unreadable, refused, cut, or edits that do not fit. */
  bad: number;
  /** Answers whose candidate had been tried before. */
  duplicates: number;
  /** Requests that ended without an answer, and those of them that were refused with status 429. */
  failed: number;
  limited: number;
  /** Requests whose answer was lost by a death in between. */
  repeated: number;
  /** Medians and 95th percentiles of the answers' latency, in seconds; null where none has one. */
  p50: number | null;
  p95: number | null;
}

/** How a model's calls go, as shares of 1, and what a claim costs. */
export interface CallRates {
  requests: number;
  answers: number;
  /** Of the answers; null where none came. */
  badRate: number | null;
  duplicateRate: number | null;
  /** Of the requests. */
  limitedRate: number;
  latencySeconds: { p50: number; p95: number } | null;
  /** Null before the first claim, and for a single trial. */
  perClaim: { usd: number; tokens: number } | null;
}

/** Spend of a whole research, and the claims that it made for it. */
interface Bought {
  usd: number;
  tokens: number;
  claims: number;
}

/** The rates of calls; null where nothing was asked. */
export function ratesOf(counts: CallCounts, bought: Bought | null = null): CallRates | null {
  const { answers, bad, duplicates, failed, limited, repeated, p50, p95 } = counts;
  const requests = answers + failed + repeated;
  if (requests === 0) return null;
  const ofAnswers = (count: number): number | null => (answers === 0 ? null : count / answers);
  return {
    ...{ requests, answers, badRate: ofAnswers(bad), duplicateRate: ofAnswers(duplicates) },
    limitedRate: limited / requests,
    latencySeconds: p50 === null || p95 === null ? null : { p50, p95 },
    perClaim:
      bought && bought.claims > 0 ? { usd: bought.usd / bought.claims, tokens: bought.tokens / bought.claims } : null,
  };
}

/** Rates in words: `118 answers, 4.2 % bad, 1.7 % duplicates · 429: 0.8 % of 121 requests · latency p50 3.1 s, p95 12 s`. */
export function describeRates({ requests, answers, latencySeconds, perClaim, ...rates }: CallRates): string {
  const { badRate, duplicateRate, limitedRate } = rates;
  const shares =
    badRate === null || duplicateRate === null
      ? []
      : [`${finePercent(badRate)} bad`, `${finePercent(duplicateRate)} duplicates`];
  const parts = [
    [plural(answers, 'answer'), ...shares].join(', '),
    `429: ${finePercent(limitedRate)} of ${plural(requests, 'request')}`,
  ];
  if (latencySeconds)
    parts.push(`latency p50 ${formatSeconds(latencySeconds.p50)}, p95 ${formatSeconds(latencySeconds.p95)}`);
  if (perClaim) {
    const usd = perClaim.usd > 0 ? ` and ${formatUsd(perClaim.usd)}` : '';
    parts.push(`${formatCount(perClaim.tokens)} tokens${usd} per claim`);
  }
  return parts.join(' · ');
}
