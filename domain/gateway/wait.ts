const LONGEST_BACK_OFF_SECONDS = 60;
/** Least wait, so that an endpoint that says 0 is not asked without end. */
const SHORTEST_SECONDS = 0.5;

/** An answer of an endpoint that is too busy, perhaps. */
export interface BusyAnswer {
  status: number;
  /** Seconds that the endpoint asked to wait; null if it named none. */
  retryAfter: number | null;
  body: string;
  /** Number of tries so far, this one included. */
  tries: number;
  /** Random number from 0 to 1, so that callers do not come back together. */
  jitter: number;
}

/** True if the gateway may wait for the endpoint: its rate limit, or its overload. */
export const isBusy = (status: number, retryAfter: number | null): boolean =>
  status === 429 || ((status === 503 || status === 529) && retryAfter !== null);

/** Seconds to wait before the next try; null if the answer goes to the caller. */
export function waitSeconds({ status, retryAfter, body, tries, jitter }: BusyAnswer): number | null {
  if (!isBusy(status, retryAfter)) return null;
  // OpenAI has the same status for an account without credit, which waiting does not heal.
  if (/insufficient_quota|billing_hard_limit/.test(body)) return null;
  if (retryAfter !== null) return Math.max(SHORTEST_SECONDS, retryAfter) * (1 + jitter / 10);
  return backOffSeconds({ tries, jitter });
}

/** Seconds before the next try, which double with each try, up to a minute and a half. */
export const backOffSeconds = ({ tries, jitter }: Pick<BusyAnswer, 'tries' | 'jitter'>): number =>
  Math.min(LONGEST_BACK_OFF_SECONDS, 2 ** (tries - 1)) * (0.5 + jitter);
