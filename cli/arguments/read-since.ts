import { refused } from '../errors.ts';

const SECONDS = { m: 60, h: 3600, d: 86_400 } as const;
/** Largest time that a Date can have, in ms. */
const LARGEST_TIME = 8.64e15;

/** Reads a time: a span before `now` such as `9h`, or a date in ISO 8601. Refuses other text, and the future. */
export function readSince(option: string, text: string, now: Date): Date {
  const time = timeOf(text, now);
  if (!Number.isFinite(time) || time > now.getTime() || Math.abs(time) > LARGEST_TIME)
    throw refused(
      `Expected ${option} to be a span such as 90m, 9h or 3d, or a past time such as 2026-11-30T08:00Z; ` +
        `got ${JSON.stringify(text)}.`,
    );
  return new Date(time);
}

/** The time in ms; NaN if the text is neither form. */
function timeOf(text: string, now: Date): number {
  const span = /^(\d+(?:\.\d+)?)([mhd])$/.exec(text);
  if (span) return now.getTime() - Number(span[1]) * SECONDS[span[2] as keyof typeof SECONDS] * 1000;
  return /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
}
