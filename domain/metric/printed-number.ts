/** Value that a program printed under a name: a number, which may be NaN, or a text that is no number. */
export type Printed = { value: number } | { raw: string };

/** `text`: lines such as `loss: 0.5`. `json`: objects, on a line or over several. */
export type PrintedForm = 'text' | 'json';

interface Wanted {
  name: string;
  forms: readonly PrintedForm[];
}

// The functions of this file refer to nothing but each other: `start --source` writes their source into an adapter, so
// that it reads the output of an evaluation as the worker reads the output of a run.

/** Reads the last line or object that names the metric; null if none does. An earlier number never takes its place. */
export function readPrinted(lines: readonly string[], { name, forms }: Wanted): Printed | null {
  let last: Printed | null = null;
  // Lines before this one belong to brackets that never close, so that each of them stands alone.
  let alone = 0;
  for (let i = 0; i < lines.length;) {
    const line = lines[i] ?? '';
    const end = forms.includes('json') ? endOfObject(lines, i, i < alone ? 1 : 10_000) : 0;
    if (end < 0) alone = Math.max(alone, i - end);
    const object = end > 0 ? readObject(lines.slice(i, end).join('\n'), name) : null;
    const found = object ?? (end > 0 ? null : readLine(line, { name, forms }));
    last = found ?? last;
    i = Math.max(i + 1, end);
  }
  return last;
}

/**
 * Index after the last line of the object or list that begins at line `start`; 0 if none begins there, and the negative
 * number of lines that were read if its brackets do not close.
 */
export function endOfObject(lines: readonly string[], start: number, most: number): number {
  if (!/^\s*(?:\{|\[\s*(?:[[{]|$))/.test(lines[start] ?? '')) return 0;
  const end = Math.min(lines.length, start + most);
  let depth = 0;
  for (let i = start; i < end; i += 1) {
    const bare = (lines[i] ?? '').replace(/"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'/g, '');
    depth += (bare.match(/[[{]/g)?.length ?? 0) - (bare.match(/[\]}]/g)?.length ?? 0);
    if (depth <= 0) return i + 1;
  }
  return start - end;
}

/** The number under a name in a line of text: `loss: 0.5`, `loss = 0.5` or `loss 0.5`. */
export function readLine(line: string, { name, forms }: Wanted): Printed | null {
  const text = line.trim();
  // A part of an object that could not be read as a whole.
  const key = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  if (forms.includes('json') && new RegExp(`^(?:[{[].*)?(["'])${key}\\1\\s*:`).test(text)) return { raw: text };
  if (!forms.includes('text') || !text.startsWith(name)) return null;
  const rest = text.slice(name.length);
  const raw =
    /^\s*[:=](.*)$/s.exec(rest)?.[1] ?? /^\s+([-+]?(?:\.?\d|∞|nan(?!\w)|inf(?:inity)?(?!\w)).*)$/is.exec(rest)?.[1];
  if (raw === undefined) return null;
  const value = parseNumber(raw);
  return value === undefined ? { raw: raw.trim() } : { value };
}

/** The number under a name in the text of a JSON object, or of a dictionary as Python prints it. */
export function readObject(text: string, name: string): Printed | null {
  if (!text.includes(name) && !text.includes('\\')) return null;
  for (const json of [text, quoteNotFinite(text)])
    try {
      return readParsed(JSON.parse(json) as unknown, name);
    } catch {
      continue; // No JSON: tried again with NaN in quotes, then as a dictionary of Python.
    }
  const key = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const token = new RegExp(`(["'])${key}\\1\\s*:\\s*((?:[^,(){}[\\]]|\\([^()]*\\))*)`, 'g');
  const raw = [...text.matchAll(token)].at(-1)?.[2]?.trim();
  if (raw === undefined) return null;
  if (!/^\s*\{[^{}[\]]*\}\s*$/.test(text)) return { raw: 'a value that may lie below another key' };
  const value = parseNumber(raw);
  return value === undefined ? { raw } : { value };
}

/** A text of JSON in which bare NaN and Infinity, as Python writes them, are strings; texts in quotes stay. */
export function quoteNotFinite(text: string): string {
  let isInString = false;
  // Matches no whole string: a long one would exceed the stack of regular expressions.
  return text.replace(/\\[^]|"|(?:-?\bInfinity|\bNaN)(?=\s*[,}\]])/g, (token) => {
    if (token === '"') isInString = !isInString;
    return token === '"' || token.startsWith('\\') || isInString ? token : `"${token}"`;
  });
}

/** The number under a key of a parsed object. Null is NaN or infinity, as JavaScript's JSON.stringify writes them. */
export function readParsed(parsed: unknown, name: string): Printed | null {
  const own = typeof parsed === 'object' && !Array.isArray(parsed) && parsed !== null && Object.hasOwn(parsed, name);
  if (own) {
    const value = (parsed as Record<string, unknown>)[name];
    if (value === null) return { value: Number.NaN };
    if (typeof value === 'number') return { value };
    if (Array.isArray(value)) return { raw: 'a list' };
    if (typeof value === 'object') return { raw: 'an object' };
    // A finite number in quotes is a mistake to report. NaN and infinity may be text: JSON has no numbers for them.
    const read = typeof value === 'string' ? parseNumber(value) : undefined;
    return read === undefined || Number.isFinite(read) ? { raw: JSON.stringify(value) } : { value: read };
  }
  const pending = [parsed];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null) continue;
    const value = Object.hasOwn(next, name) ? (next as Record<string, unknown>)[name] : undefined;
    const isNotFinite = value === null || (typeof value === 'string' && /^-?(?:NaN|Infinity)$/.test(value));
    if (typeof value === 'number' || isNotFinite) return { raw: 'a number below another key' };
    for (const inner of Object.values(next) as unknown[]) pending.push(inner);
  }
  return null;
}

/**
 * Parses a whole text as one number, as programs print it: also `nan`, `-nan(ind)`, `Inf32`, `infinity`, `∞`, numpy's
 * `np.float64(0.5)`, and NaN or infinity in any call, such as `tensor(nan, device='cuda')`. A finite number in another
 * call is undefined, since its digits may be cut (`tensor(0.1235)`). Undefined for anything else: "0.9 bits", "1,5",
 * "0x10", "".
 */
export function parseNumber(text: string): number | undefined {
  const bare = /^(?:np|numpy)\.(?:float|int|uint)\d+\(([^()]*)\)$/.exec(text.trim())?.[1]?.trim() ?? text.trim();
  if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(bare)) return Number(bare);
  const inCall = /^[a-z_][\w.]*\(\s*['"]?([+-]?(?:nan|inf(?:inity)?))(?![\w.])[^()]*\)$/i.exec(bare)?.[1];
  const word = inCall ?? bare;
  if (/^[+-]?nan(?:16|32|64|\([\w]*\))?$/i.test(word)) return Number.NaN;
  const infinite = /^([+-]?)(?:inf(?:16|32|64)?|infinity|∞)$/i.exec(word);
  if (infinite) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return undefined;
}

/**
 * Source of {@link readPrinted} and of all functions that it calls. A bundler may rename a function, so that a caller
 * has to use `readPrinted.name`.
 */
export const READ_PRINTED_SOURCE = [
  readPrinted,
  endOfObject,
  readLine,
  readObject,
  quoteNotFinite,
  readParsed,
  parseNumber,
]
  .map(String)
  .join('\n\n');
