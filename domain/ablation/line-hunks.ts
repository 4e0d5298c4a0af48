/** Lines of a text that differ from the original's: `[from, to)` in the text, and the original's lines there. */
export interface Hunk {
  from: number;
  to: number;
  original: readonly string[];
}

/** Most cells of the table of common lines; above it, all from the first to the last difference is one hunk. */
const MOST_CELLS = 4_000_000;

/** Lines with their line ends, so that joining them gives the text again. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];

/** The hunks in which a text differs from the original, by a longest common subsequence of lines. */
export function lineHunks(original: readonly string[], text: readonly string[]): Hunk[] {
  let start = 0;
  while (start < original.length && start < text.length && original[start] === text[start]) start += 1;
  let [endA, endB] = [original.length, text.length];
  while (endA > start && endB > start && original[endA - 1] === text[endB - 1]) {
    endA -= 1;
    endB -= 1;
  }
  if (endA === start && endB === start) return [];
  const [a, b] = [original.slice(start, endA), text.slice(start, endB)];
  if (a.length * b.length > MOST_CELLS) return [{ from: start, to: endB, original: a }];
  const width = b.length + 1;
  const common = new Int32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        a[i] === b[j]
          ? (common[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
  const hunks: Hunk[] = [];
  let open: { from: number; i: number } | null = null;
  let [i, j] = [0, 0];
  const close = (): void => {
    if (open !== null) hunks.push({ from: start + open.from, to: start + j, original: a.slice(open.i, i) });
    open = null;
  };
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      close();
      i += 1;
      j += 1;
      continue;
    }
    open ??= { from: j, i };
    const isRemoved = i < a.length && (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? -1);
    if (isRemoved || j >= b.length) i += 1;
    else j += 1;
  }
  close();
  return hunks;
}
