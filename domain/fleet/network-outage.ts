const LEAST_SECONDS = 60;
/** Accepted outage as a share of the evaluator's time limit. */
const SHARE = 0.05;

/** Seconds for which the host of an answering program may be away beyond its limit, before the evaluation repeats. */
export const longestOutageSeconds = (timeoutSeconds: number): number => Math.max(LEAST_SECONDS, timeoutSeconds * SHARE);

/** Delay of a round trip over the usual time, in ms, that shows a network outage instead of a distant host. */
export const OUTAGE_DELAY_MS = 300;
/** Round trips after which the usual time is known: the first ones may have met an outage. */
const FIRST = 3;

/** True if a round trip to a host met an outage, judged by the times of earlier ones; all in ms. */
export function hadOutage(took: number, before: readonly number[]): boolean {
  // The lower quartile, since most round trips may have met an outage, and a single fast one is not the usual time.
  const usual = before.length < FIRST ? 0 : (before.toSorted((a, b) => a - b)[Math.floor(before.length / 4)] ?? 0);
  return took > usual + OUTAGE_DELAY_MS;
}
