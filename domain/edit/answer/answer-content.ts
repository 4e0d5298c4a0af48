import { beginsDiff, DIFF_INFO } from '../diff/is-diff.ts';
import { readFences } from './fences.ts';
import type { KnownFiles } from './known-paths.ts';
import { pathInInfo, pathInLine } from './path.ts';
import { isLabelled } from './prose.ts';
import { readSearchBlock, searchMarks } from './search-block.ts';
import type { ThoughtMark } from './thought-marks.ts';

/** The parts of a text that are content of files: marks in them do not belong to the text itself. */
export interface AnswerContent {
  /** True if a mark is content. Must be called once for each mark, in order. */
  holds(mark: ThoughtMark): boolean;
  /** True if an edit begins at this character or after it. */
  editsBehind(at: number): boolean;
  /** True if an edit begins before this character. */
  editsBefore(at: number): boolean;
  /** True if quotes enclose the mark that begins at this character. */
  isQuoted(at: number): boolean;
}

/** A block, as character positions: SEARCH/REPLACE, fenced under a path, or a diff in a fence without a path. */
interface Span {
  from: number;
  to: number;
  kind: 'search' | 'fenced' | 'diff';
  path: string | null;
}

const QUOTES = /["'`“”‘’]/;
/** Characters right behind a mark that show that it stands in code. */
const CODE_BEHIND = /["'`\\/|)]/;
/** Most searches of the old files for a mark. */
const MOST_SEARCHES = 50;

export function answerContentOf(text: string, against: KnownFiles): AnswerContent {
  const { spans, firstEdit, lastEdit } = spansOf(text, against);
  let [at, depth, searches, lastOpen] = [0, 0, 0, -1];

  const isQuoted = (from: number): boolean => {
    const to = /^[^\n]{0,60}?[>\]▷⟩＞】]|^&lt;[^&\n]{0,60}&gt;/.exec(text.slice(from, from + 130))?.[0].length ?? 0;
    return QUOTES.test(text.charAt(from - 1)) && QUOTES.test(text.charAt(from + to));
  };
  const editsBehind = (position: number): boolean => lastEdit >= position;
  const holds = (mark: ThoughtMark): boolean => {
    const opened = lastOpen;
    if (mark.kind === 'open') lastOpen = mark.from;
    if (isQuoted(mark.from)) return true;
    while (at < spans.length && (spans[at]?.to ?? 0) <= mark.from) [at, depth] = [at + 1, 0];
    const span = spans[at];
    if (!span || span.from > mark.from) {
      // If both marks stand within one line of prose, the line is about the marks.
      const between = opened < 0 ? '\n' : text.slice(opened, Math.min(mark.from, opened + 4000));
      return mark.kind === 'end' && !/[\n\r]/.test(between) && /[^\s>\]]/.test(before(text, opened));
    }
    if (span.kind === 'search') return true;
    if (span.kind === 'diff') return /^[ +-]/.test(before(text, mark.from));
    if (mark.kind === 'open') depth += 1;
    if (mark.kind === 'open' || (depth -= 1) >= 0) return true;
    depth = 0;
    if (CODE_BEHIND.test(text.charAt(mark.to)) || (searches += 1) > MOST_SEARCHES) return true;
    const markText = text.slice(mark.from, mark.to);
    if ((against.files[span.path ?? ''] ?? '').includes(markText) || !editsBehind(mark.to)) return true;
    // The block of an unfinished draft in the thoughts extends into the answer, up to the answer's first fence.
    return !beginsAnswer(text.slice(mark.to, span.to), against);
  };
  const editsBefore = (position: number): boolean => firstEdit >= 0 && firstEdit < position;
  return { holds, editsBehind, editsBefore, isQuoted };
}

const beginsAnswer = (text: string, { known }: KnownFiles): boolean =>
  text.split(/\r\n|\n|\r/).some((line) => isLabelled(line) || pathInLine(line, known) !== null);

/** Text of a line before a character, the last 200 characters of it. */
const before = (text: string, at: number): string =>
  text.slice(Math.max(0, at - 200, text.lastIndexOf('\n', at - 1) + 1), Math.max(0, at));

function spansOf(text: string, { known }: KnownFiles): { spans: Span[]; firstEdit: number; lastEdit: number } {
  const lines = text.split(/\r\n|\n|\r/);
  const starts = startsOf(text, lines);
  const fences = readFences(lines);
  const spans: Span[] = [];
  let [firstEdit, lastEdit, skipTo, above] = [-1, -1, -1, ''];
  lines.forEach((line, i) => {
    const from = starts[i] ?? 0;
    const fence = fences.at(i);
    const path = fence ? (pathInInfo(fence.info, known) ?? pathInLine(above, known)) : null;
    const searches = searchMarks(line) > 0;
    if (searches || path !== null || beginsDiff(lines, i))
      [firstEdit, lastEdit] = [firstEdit < 0 ? from : firstEdit, from];
    if (line.trim() !== '') above = line;
    if (i <= skipTo) return;
    if (searches) {
      const block = readSearchBlock(lines, i);
      if (!block.ok) return;
      spans.push({ from, to: starts[block.end] ?? text.length, kind: 'search', path: null });
      skipTo = block.end;
    } else if (fence && path !== null && !lines.slice(i + 1, i + 5).some((inner) => searchMarks(inner) > 0)) {
      const end = fences.closeOf(i, fence);
      if (end === null) return;
      spans.push({ from, to: starts[end] ?? text.length, kind: 'fenced', path });
      skipTo = end;
    } else if (fence && path === null && (DIFF_INFO.test(fence.info) || beginsDiff(lines, i + 1))) {
      const end = fences.closeOf(i, fence);
      if (end === null) return;
      spans.push({ from, to: starts[end] ?? text.length, kind: 'diff', path });
      skipTo = end;
    }
  });
  return { spans, firstEdit, lastEdit };
}

/** Position of each line's first character. */
function startsOf(text: string, lines: readonly string[]): number[] {
  let at = 0;
  return lines.map((line) => {
    const start = at;
    at += line.length + (text.startsWith('\r\n', at + line.length) ? 2 : 1);
    return start;
  });
}
