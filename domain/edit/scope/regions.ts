/** Lines of a file between two markers, from 1. `from` and `to` are the lines of the markers themselves. */
export interface Region {
  from: number;
  to: number;
}

/** The regions of a file; without markers, none. `problem`: why its markers make no regions, with line numbers. */
export type Regions = { ok: true; regions: Region[] } | { ok: false; problem: string };

const WORD = /EVOLVE-BLOCK-(START|END)/;
/** A marker: a comment of its own, in the comment signs of common languages. */
const MARKER = /^\s*(?:#+|\/\/+|--+|;+|%+|\/\*+|<!--|\(\*|!|\bREM\b)\s*EVOLVE-BLOCK-(START|END)\b/i;

type Mark = 'START' | 'END';

/** The mark of a line that is a marker, or null. */
const markOf = (line: string): Mark | null => (MARKER.exec(line)?.[1]?.toUpperCase() ?? null) as Mark | null;

/** The lines of a text, each with its end. */
export const linesWithEnds = (text: string): string[] => text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];

/** Reads the regions of a file. Regions do not nest, and each start has its end. */
export function readRegions(text: string): Regions {
  if (!WORD.test(text)) return { ok: true, regions: [] };
  const regions: Region[] = [];
  let open: number | null = null;
  for (const [index, line] of linesWithEnds(text).entries()) {
    const mark = markOf(line);
    const n = index + 1;
    if (mark === null) {
      const word = WORD.exec(line)?.[0];
      if (word !== undefined)
        return { ok: false, problem: `line ${n} holds ${word}, but not as a comment on a line of its own` };
    } else if (mark === 'START') {
      if (open !== null)
        return { ok: false, problem: `EVOLVE-BLOCK-START in line ${n} follows that in line ${open} without an end` };
      open = n;
    } else if (open === null) {
      return { ok: false, problem: `EVOLVE-BLOCK-END in line ${n} has no EVOLVE-BLOCK-START before it` };
    } else {
      regions.push({ from: open, to: n });
      open = null;
    }
  }
  if (open !== null) return { ok: false, problem: `EVOLVE-BLOCK-START in line ${open} has no EVOLVE-BLOCK-END` };
  return { ok: true, regions };
}

/** Regions in words, as the lines that may change: `lines 4–9 (region 1), between lines 12 and 13 (region 2)`. */
export const describeRegions = (regions: readonly Region[]): string =>
  regions.map((region, index) => `${linesOf(region)} (region ${index + 1})`).join(', ');

function linesOf({ from, to }: Region): string {
  if (to - from === 1) return `between lines ${from} and ${to}`;
  return to - from === 2 ? `line ${from + 1}` : `lines ${from + 1}–${to - 1}`;
}

/** A line outside of all regions, with its number. Markers are such lines. */
interface OutsideLine {
  n: number;
  line: string;
}

function outsideOf(text: string, regions: readonly Region[]): OutsideLine[] {
  let next = 0;
  return linesWithEnds(text)
    .map((line, index) => ({ n: index + 1, line }))
    .filter(({ n }) => {
      while (n >= (regions[next]?.to ?? Infinity)) next += 1;
      return n <= (regions[next]?.from ?? Infinity);
    });
}

/**
 * The reason why a change of a file is refused, since it changes lines outside the regions of the old text; null if it
 * does not. Text without markers may change anywhere, but gets no markers.
 */
export function outsideRegions(path: string, before: string, after: string): string | null {
  if (before === after) return null;
  const old = readRegions(before);
  if (!old.ok) return `${path} has markers that make no regions, so it cannot be changed: ${old.problem}`;
  if (old.regions.length === 0) return addsMarkers(path, after);
  const made = readRegions(after);
  const may = `in ${path} only these lines may change: ${describeRegions(old.regions)}`;
  if (!made.ok) return `${may}; the markers must stay as they are, but after the edit ${made.problem}`;
  const [kept, found] = [outsideOf(before, old.regions), outsideOf(after, made.regions)];
  const at = kept.findIndex(({ line }, index) => found[index]?.line !== line);
  const lost = kept[at];
  if (lost !== undefined) return `${may}; line ${lost.n} must stay ${JSON.stringify(shorten(lost.line))}`;
  const added = found[kept.length];
  if (added !== undefined) return `${may}; ${JSON.stringify(shorten(added.line))} would be added behind them`;
  return null;
}

/** The reason why a text without regions is refused: it holds markers. */
export function addsMarkers(path: string, text: string): string | null {
  const word = WORD.exec(text)?.[0];
  return word === undefined ? null : `${path} has no regions, and an edit adds none; remove ${word}`;
}

const shorten = (line: string): string => {
  const text = line.replace(/[\r\n]+$/, '');
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
};
