import { refused } from '../errors.ts';

/** Reads the number of an option. Refuses text that is no number, and negative numbers. */
export function parseNonNegative(option: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw refused(`Expected ${option} to be a number of at least 0, got ${JSON.stringify(text)}.`);
  return value;
}
