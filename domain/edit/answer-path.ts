const BEFORE = /^(?:(?:#{1,6}|[-*]|\d+[.)])\s+)?(?:\*\*)?(?:(?:file(?:name)?|path)\s*:)?\s*(?:\*\*)?\s*/i;
const BEHIND = /(?:\s\([^()]{0,40}\))?(?:\*\*)?\s*:?(?:\*\*)?$/;

/**
 * The path that a line names, or null. Bare (`src/train.py`) or decorated the ways models do it: a heading, `File:`,
 * bold, backticks, a colon behind it. `known` are paths that may look like words or hold blanks (`Makefile`).
 */
export function pathInLine(line: string, known: ReadonlySet<string>): string | null {
  const text = line.trim();
  if (text === '' || text.length > 300) return null;
  if (known.has(text)) return text;
  const plain = text.replace(BEFORE, '').replace(BEHIND, '');
  const quoted = /^(`+)([^`]+)\1$/.exec(plain)?.[2];
  const bare = (quoted ?? plain).trim().replace(/^\.\//, '');
  if (known.has(bare)) return bare;
  if (/[\s`"'<>|*]/.test(bare) || bare === '') return null;
  return looksLikePath(bare) ? bare : null;
}

/** The path in a fence's info string (`python src/train.py`, `src/train.py`, `python:src/train.py`), or null. */
export function pathInInfo(info: string, known: ReadonlySet<string>): string | null {
  const last = info.trim().split(/\s+/).at(-1) ?? '';
  const candidate = last.replace(/^(?:[a-z]+:|(?:path|file|title|name|filename)=)/i, '').replace(/^["']|["']$/g, '');
  if (known.has(candidate)) return candidate;
  return looksLikePath(candidate) ? candidate : null;
}

// A name with an extension or a folder; not a sentence's end, a number or a web address.
const looksLikePath = (text: string): boolean =>
  (/^[^\s:]*\/[^\s:]*[^\s:./]$/.test(text) || /^[\w@+.-]*\.[A-Za-z]\w{0,9}$/.test(text)) &&
  !/^\d+(?:\.\d+)*$/.test(text);
