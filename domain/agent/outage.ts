/** The last call of an agent's run. */
export interface LastCall {
  /** Null: it was answered, or its worker died before an answer came. */
  error: string | null;
  /** HTTP status of the endpoint; null: it was not reached. */
  status: number | null;
}

/** HTTP statuses about this one request (too long, malformed): a retry would not help. */
const ABOUT_THE_REQUEST = [400, 413, 422];

/**
 * Why an endpoint did not serve the last call of an agent: it cannot be reached, has no credit left, refuses the key,
 * or fails. Null if it served it, if the error concerns the request alone, or if the agent made no call.
 */
export function outageOf(last: LastCall | null): string | null {
  if (last === null || last.error === null) return null;
  return last.status !== null && ABOUT_THE_REQUEST.includes(last.status) ? null : last.error;
}
