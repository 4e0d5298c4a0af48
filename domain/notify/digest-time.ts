import type { Sink } from './sink.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

/** The last time, up to `now`, at which a sink's daily report is due. */
export function lastDigestTime({ digestAt, timeZone }: Pick<Sink, 'digestAt' | 'timeZone'>, now: Date): Date {
  const [hours = 0, minutes = 0] = digestAt.split(':').map(Number);
  const today = Math.floor((now.getTime() + offsetAt(timeZone, now.getTime())) / DAY) * DAY;
  const atDay = (day: number): number => instantOf(day + (hours * 60 + minutes) * MINUTE, timeZone);
  const times = [today, today - DAY, today - 2 * DAY].map(atDay);
  return new Date(times.find((time) => time <= now.getTime()) ?? now.getTime() - DAY);
}

/** The instant at which clocks of the zone show a time. A time that a change of the clocks skips is moved by it. */
function instantOf(local: number, timeZone: string): number {
  const guess = local - offsetAt(timeZone, local);
  return local - offsetAt(timeZone, guess);
}

/** Difference of the zone's clocks from UTC at an instant, in ms. */
function offsetAt(timeZone: string, instant: number): number {
  const parts = formatOf(timeZone).formatToParts(instant);
  const {
    year = 0,
    month = 1,
    day = 1,
    hour = 0,
    minute = 0,
    second = 0,
  } = Object.fromEntries(parts.map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
}

/** Formats by time zone: to make one takes a thousand times as long as to use it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timeZone, made);
  return made;
}
