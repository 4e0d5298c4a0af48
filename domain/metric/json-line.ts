const NOT_FINITE = /^(\s*)(NaN|-?Infinity)(?=\s*[,}\]])/;

/** A line that is one JSON object, else null; bare NaN and Infinity (as Python writes them) become texts. */
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
    return null; // A line of a log may be anything; what is no JSON is no point.
  }
}

function quoteNotFinite(text: string): string {
  // Split at colons and commas: a bare word can only follow one of them or an opening bracket.
  return text
    .split(/(?<=[:,[])/)
    .map((part) => part.replace(NOT_FINITE, '$1"$2"'))
    .join('');
}
