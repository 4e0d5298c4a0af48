/** Parts inside of parts that are looked into. */
const DEEPEST = 4;
/** Kinds of parts that hold words of the answer; none at all is one, too. */
const TEXTS = new Set([undefined, null, 'text', 'output_text']);

/**
 * The text of a message's content: a text, or parts whose texts follow each other. Thoughts and parts of other kinds are left
 * out. Null where there is none; undefined where it is neither.
 */
export function contentText(content: unknown, depth = 0): string | null | undefined {
  if (content === undefined || content === null) return null;
  if (typeof content === 'string') return content;
  if (typeof content !== 'object' || depth > DEEPEST) return undefined;
  const parts: unknown[] = Array.isArray(content) ? content : [content];
  const texts = parts.map((part) => partText(part, depth)).filter((text) => text !== null);
  return texts.length === 0 ? null : texts.join('');
}

function partText(part: unknown, depth: number): string | null {
  if (typeof part === 'string') return part;
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return null;
  const { type, text, thought, value } = part as Record<string, unknown>;
  if (!TEXTS.has(type as string | null | undefined) || thought === true) return null;
  // Some wrap the text once more, as `{ value }` or in parts of its own.
  return contentText(text ?? value, depth + 1) ?? null;
}
