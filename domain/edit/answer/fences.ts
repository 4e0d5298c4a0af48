/** A line that opens or closes a fenced block. */
export interface Fence {
  mark: '`' | '~';
  length: number;
  /** Columns of white space before it, at most twelve. */
  indent: number;
  /** Text behind the marks; empty for a closing fence. */
  info: string;
}

/** Reads a fence line, or null. Indented fences count too, since models indent them in lists. */
function fenceOf(line: string): Fence | null {
  // A loop instead of a regular expression, which would backtrack over a million marks.
  let start = 0;
  while (line[start] === ' ' || line[start] === '\t') start += 1;
  const mark = line[start];
  if (mark !== '`' && mark !== '~') return null;
  let end = start;
  while (line[end] === mark) end += 1;
  if (end - start < 3 || line.includes('`', end)) return null;
  const indent = Math.min(12, line.slice(0, start).replaceAll('\t', '    ').length);
  return { mark, length: end - start, indent, info: line.slice(end).trim() };
}

/** The fences of a text. Linear if `closeOf` is called once for each block, in order. */
export interface Fences {
  /** The fence in a line, or null. */
  at(line: number): Fence | null;
  /** Line of the fence that closes the block opened at line `from`, or null. */
  closeOf(from: number, opened: Fence): number | null;
}

/**
 * Reads the fences of a text. A block ends at the first bare fence that is at least as long. Inner blocks of the same
 * length (an opening with an info string, then a bare fence) are skipped, since models quote Markdown in that way. If
 * no end is found so, the first bare fence ends the block.
 */
export function readFences(lines: readonly string[]): Fences {
  const fences = lines.flatMap((line, at) => {
    const fence = fenceOf(line);
    return fence ? [{ ...fence, at }] : [];
  });
  const byLine = new Map(fences.map((fence) => [fence.at, fence]));
  // Once a search with nesting has failed, later ones would fail as well.
  let nestingFails = false;
  // Shortest length for which no closing fence was found, by mark and indent: longer fences have none, either.
  const missing = new Map<string, number>();

  const search = (first: number, opened: Fence, nested: boolean): number | null => {
    let depth = 1;
    for (let i = first; i < fences.length; i += 1) {
      const fence = fences[i];
      if (!fence || !isOfBlock(fence, opened)) continue;
      if (fence.info !== '') depth += nested && fence.length === opened.length ? 1 : 0;
      else if ((depth -= 1) === 0) return fence.at;
    }
    return null;
  };
  return {
    at: (line) => byLine.get(line) ?? null,
    closeOf: (from, opened) => {
      const key = `${opened.mark}${opened.indent}`;
      if (opened.length >= (missing.get(key) ?? Infinity)) return null;
      const first = indexAfter(fences, from);
      if (!nestingFails) {
        const end = search(first, opened, true);
        if (end !== null) return end;
        nestingFails = true;
      }
      const end = search(first, opened, false);
      if (end === null) missing.set(key, opened.length);
      return end;
    },
  };
}

/** True if a fence could end a block, or open an inner one. A fence that is indented further belongs to the content. */
export const isOfBlock = (fence: Fence, opened: Fence): boolean =>
  fence.mark === opened.mark && fence.length >= opened.length && fence.indent <= opened.indent + 3;

function indexAfter(fences: readonly { at: number }[], line: number): number {
  let low = 0;
  let high = fences.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((fences[middle]?.at ?? 0) <= line) low = middle + 1;
    else high = middle;
  }
  return low;
}
