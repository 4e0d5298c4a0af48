import { quoteNotFinite } from './printed-number.ts';

/** Parses a line that is one JSON object; else null. Bare NaN and Infinity, as Python writes them, become strings. */
export function parseJsonLine(line: string): Record<string, unknown> | null {
  const trimmed = line.trim();
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}')) return null;
  return parseObject(trimmed) ?? parseObject(quoteNotFinite(trimmed));
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null; // A log line may be anything; a line that is not JSON holds no point.
  }
}
