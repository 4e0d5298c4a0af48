/**
 * Seconds that the endpoint asked to wait, from `retry-after-ms` or `retry-after` (seconds or an HTTP date); null where
 * it did not ask or cannot be read, never negative. `nowMs` is the time since the epoch.
 */
export function retryAfterSeconds(headers: Headers, nowMs: number): number | null {
  const milliseconds = toNumber(headers.get('retry-after-ms'));
  if (milliseconds !== null) return milliseconds / 1000;
  const text = headers.get('retry-after');
  const seconds = toNumber(text);
  if (seconds !== null || text === null) return seconds;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, (date - nowMs) / 1000);
}

function toNumber(text: string | null): number | null {
  return text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : null;
}
