/** Name of the browser's time zone, in which every page shows its times: `Europe/Berlin`. */
export const ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Minutes by which the browser's zone is ahead of UTC now. */
export const minutesAhead = (): number => -new Date().getTimezoneOffset();

const two = (n: number): string => String(n).padStart(2, '0');

/** The day of a moment in the browser's zone, such as `2026-11-27`. */
export const dayText = (at: Date): string => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;

/** The time of day of a moment in the browser's zone, such as `14:05:09`. */
export const timeText = (at: Date): string => `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;

/** A moment in the browser's zone, such as `2026-11-27 14:05:09`. */
export function momentText(at: string): string {
  const moment = new Date(at);
  return `${dayText(moment)} ${timeText(moment)}`;
}

/** Times that sentences of the server name in UTC: a moment in ISO 8601, or a time of day. */
const SERVER_TIMES = /\b(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z)|\b(\d\d):(\d\d):(\d\d) UTC\b/g;

/** A sentence of the server with its times in the browser's zone. A time of day in it belongs to the day of `now`. */
export const inBrowserZone = (sentence: string, now: Date = new Date()): string =>
  sentence.replace(SERVER_TIMES, (text, moment: string | undefined, hours, minutes, seconds) => {
    if (moment !== undefined) return Number.isNaN(Date.parse(moment)) ? text : momentText(moment);
    const at = new Date(now);
    at.setUTCHours(Number(hours), Number(minutes), Number(seconds));
    return timeText(at);
  });
