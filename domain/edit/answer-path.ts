const BEFORE = /^(?:(?:#{1,6}|[-*]|\d+[.)])\s+)?(?:\*\*)?(?:(?:file(?:name)?|path)\s*:)?\s*(?:\*\*)?\s*/i;
const REMARK = /\s\([^()]{0,40}\)$/;
const LONGEST = 300;

/**
 * The path that a line names, or null. Bare (`src/train.py`) or decorated the ways models do it: a heading, `File:`,
 * bold, backticks, a colon behind it. `known` are paths that may look like words or hold blanks (`Makefile`).
 */
export function pathInLine(line: string, known: ReadonlySet<string>): string | null {
  const text = line.trim();
  if (text === '' || text.length > LONGEST) return null;
  if (known.has(text)) return text;
  const plain = withoutEnd(text.replace(BEFORE, ''));
  const quoted = /^(`+)([^`]+)\1$/.exec(plain)?.[2];
  const bare = (quoted ?? plain).trim().replace(/^\.\//, '');
  if (known.has(bare)) return bare;
  if (/[\s`"'<>|*]/.test(bare) || bare === '') return null;
  return looksLikePath(bare) ? bare : null;
}

// From the end, part by part: one pattern for all of them would try every place of the line as their beginning.
function withoutEnd(text: string): string {
  const bold = cutEnd(cutEnd(text, '**'), ':').trimEnd();
  return cutEnd(bold, '**').replace(REMARK, '');
}

const cutEnd = (text: string, end: string): string => (text.endsWith(end) ? text.slice(0, -end.length) : text);

/** The path in a fence's info string (`python src/train.py`, `src/train.py`, `python:src/train.py`), or null. */
export function pathInInfo(info: string, known: ReadonlySet<string>): string | null {
  const last = info.trim().split(/\s+/).at(-1) ?? '';
  if (last.length > LONGEST) return null;
  const candidate = last.replace(/^(?:[a-z]+:|(?:path|file|title|name|filename)=)/i, '').replace(/^["']|["']$/g, '');
  if (known.has(candidate)) return candidate;
  return looksLikePath(candidate) ? candidate : null;
}

// A name with an extension or a folder; not a sentence's end, a number or a web address.
const looksLikePath = (text: string): boolean =>
  ((text.includes('/') && !/[\s:]|[./]$/.test(text)) || /^[\w@+.-]*\.[A-Za-z]\w{0,9}$/.test(text)) &&
  !/^\d+(?:\.\d+)*$/.test(text);
