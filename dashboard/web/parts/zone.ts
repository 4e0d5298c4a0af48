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

/** A moment in ISO 8601, and a time of day, as sentences of the server name them in UTC. */
const MOMENT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z/g;
const TIME_OF_DAY = /\b\d\d:\d\d:\d\d UTC\b/g;

/** A sentence of the server with its times in the browser's zone. A time of day in it belongs to the day of `now`. */
export function inBrowserZone(sentence: string, now: Date = new Date()): string {
  const day = now.toISOString().slice(0, 10);
  return sentence
    .replace(MOMENT, (text) => (Number.isNaN(Date.parse(text)) ? text : momentText(text)))
    .replace(TIME_OF_DAY, (text) => {
      const at = new Date(`${day}T${text.slice(0, 8)}Z`);
      return Number.isNaN(at.getTime()) ? text : timeText(at);
    });
}
