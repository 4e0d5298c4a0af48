import { withQuery } from '../../data/fetch-json.ts';

/** The stretch of time that is shown, from a whole minute on, so that its address changes once a minute. */
export const ganttPath = (hours: string, now: string): string =>
  withQuery('gantt', {
    from: new Date(Math.floor((Date.parse(now) - Number(hours) * 3_600_000) / 60_000) * 60_000).toISOString(),
  });
