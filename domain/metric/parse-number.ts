/**
 * Parses a whole text as one number; `nan`, `inf`, `infinity` and `∞` count as numbers. Undefined for anything else:
 * "0.9 bits", "1,5", "0x10", "".
 */
export function parseNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed)) return Number(trimmed);
  if (/^[+-]?nan$/i.test(trimmed)) return Number.NaN;
  const infinite = /^([+-]?)(?:inf|infinity|∞)$/i.exec(trimmed);
  if (infinite) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return undefined;
}
