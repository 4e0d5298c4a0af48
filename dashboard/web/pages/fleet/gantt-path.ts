/** Path of the runs in the last `hours`. It begins at a whole minute, so that it changes only once a minute. */
export const ganttPath = (hours: string, now: string): string => {
  const from = new Date(Math.floor((Date.parse(now) - Number(hours) * 3_600_000) / 60_000) * 60_000);
  return `gantt?from=${encodeURIComponent(from.toISOString())}`;
};
