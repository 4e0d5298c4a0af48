/** A line that opens or closes a fenced block. */
export interface Fence {
  mark: '`' | '~';
  length: number;
  /** Columns of white space before it, as far as twelve. */
  indent: number;
  /** What stands behind the marks; a closing fence has none. */
  info: string;
}

/** Reads a fence line, or null. Indented fences count too, since models indent them in lists. */
function fenceOf(line: string): Fence | null {
  // By hand: a pattern would try each of a million marks as the last one.
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

/** The fences of a text; linear where blocks are asked for once each, in order. */
export interface Fences {
  /** The fence in that line, or null. */
  at(line: number): Fence | null;
  /** Line of the fence that closes the block opened at line `from`, or null. */
  closeOf(from: number, opened: Fence): number | null;
}

/**
 * A block ends at the first bare fence that is at least as long, but blocks of the same length inside it (an opening
 * with an info string, then a bare fence) are counted out first: that is how models quote Markdown. Where that finds
 * no end, the first bare fence is it.
 */
export function readFences(lines: readonly string[]): Fences {
  const fences = lines.flatMap((line, at) => {
    const fence = fenceOf(line);
    return fence ? [{ ...fence, at }] : [];
  });
  const byLine = new Map(fences.map((fence) => [fence.at, fence]));
  // Once blocks do not nest to the end of the text, no later search has to find that out again.
  let nestingFails = false;
  // Nor that a fence is not there: the shortest length for which none was found, by mark and indent.
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

/** Whether a fence could end a block, or open one that has to end before; one that stands further in is of a text in it. */
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
