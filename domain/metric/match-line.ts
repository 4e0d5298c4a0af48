import { parseNumber } from './printed-number.ts';

/** NaN or infinity as a word, as programs of many languages print it. */
const NOT_FINITE = /(?<![\w.])[-+]?(?:nan|inf(?:inity)?)(?![\w.])/gi;
/** Numbers that take the place of NaN; no program prints them by chance. */
const STAND_INS = ['70707077', '70707.077'];

/**
 * Named groups of a task's pattern in a line; null if the pattern does not match. A pattern of digits alone would pass
 * over NaN, so that an earlier line or another number of the line would count. If the pattern matches with NaN replaced
 * by digits, and the group `value` consists of these, then its value is `nan`.
 */
export function matchLine(pattern: RegExp, line: string): Record<string, string | undefined> | null {
  const found = pattern.exec(line);
  const groups = found ? (found.groups ?? {}) : null;
  if (line.search(NOT_FINITE) < 0) return groups;
  const value = parseNumber(groups?.['value'] ?? '');
  if (value !== undefined && !Number.isFinite(value)) return groups;
  for (const standIn of STAND_INS) {
    const read = Object.entries(pattern.exec(line.replace(NOT_FINITE, standIn))?.groups ?? {});
    if (read.some(([name, text]) => name === 'value' && text === standIn))
      return Object.fromEntries(read.map(([name, text]) => [name, text === standIn ? 'nan' : text]));
  }
  return groups;
}
