const LEAST_SECONDS = 60;
/** Of the evaluator's own time. */
const SHARE = 0.05;

/** Seconds for which the host of an asked program may be away, beyond limits of so many seconds; after that it is asked again. */
export const longestOutageSeconds = (timeoutSeconds: number): number => Math.max(LEAST_SECONDS, timeoutSeconds * SHARE);

/** In ms: a way there and back that took so much longer than usual met a network that was away, not just a host that is far. */
export const OUTAGE_DELAY_MS = 300;
/** Ways after which it is known what is usual: the first ones may have met an outage. */
const FIRST = 3;

/** Whether a way to a host and back that took so long met an outage, by how long those before it took; in ms. */
export function hadOutage(took: number, before: readonly number[]): boolean {
  // The lower quartile: most may have met one, and a single quick one is not usual.
  const usual = before.length < FIRST ? 0 : (before.toSorted((a, b) => a - b)[Math.floor(before.length / 4)] ?? 0);
  return took > usual + OUTAGE_DELAY_MS;
}
