const DAY_MS = 86_400_000;

/** The stretch of time that is shown, a day at most: up to its end, or to now; from its beginning, or for a day. ISO. */
export function ganttSpan(now: Date, asked: { from?: string | undefined; to?: string | undefined }) {
  const from = asked.from === undefined ? null : Date.parse(asked.from);
  const wanted =
    asked.to === undefined
      ? from === null
        ? now.getTime()
        : Math.min(now.getTime(), from + DAY_MS)
      : Date.parse(asked.to);
  // Postgres writes years before the first one in another way.
  const to = Math.max(wanted, DAY_MS);
  const begin = Math.max(from ?? -Infinity, to - DAY_MS);
  return { from: new Date(Math.min(begin, to)).toISOString(), to: new Date(to).toISOString() };
}
