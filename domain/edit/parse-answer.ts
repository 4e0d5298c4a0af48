import { pathInInfo, pathInLine } from './answer-path.ts';
import { isLabelled, readProse } from './answer-prose.ts';
import type { Edit } from './edit.ts';
import { type Fence, readFences } from './fences.ts';
import { readSearchBlock, searchMarks } from './search-block.ts';

/** A model's answer as edits, or why it is none, in words that the model can act on. */
export type Answer =
  { ok: true; hypothesis: string; expectedDelta: number | null; edits: Edit[] } | { ok: false; reason: string };

const LONGEST_ANSWER = 4_000_000;
const MOST_EDITS = 500;
const WANTED =
  'expected SEARCH/REPLACE blocks or a whole file in a fenced block, each under a line with the path of its file';

/**
 * Reads a model's answer (see `answer-format.ts` for what it was told). Takes any text, in linear time, and never
 * throws. `known` are the paths of the mutable files, so that odd ones (`Makefile`, with blanks) are recognised.
 */
export function parseAnswer(text: string, known: readonly string[] = []): Answer {
  if (text.trim() === '') return { ok: false, reason: `the answer is empty; ${WANTED}` };
  if (text.length > LONGEST_ANSWER)
    return { ok: false, reason: `the answer has ${text.length} characters, more than ${LONGEST_ANSWER}` };
  const lines = withoutThinking(text).split(/\r\n|\n|\r/);
  const read = readEdits(lines, new Set(known));
  if (typeof read === 'string') return { ok: false, reason: read };
  if (read.edits.length === 0) return { ok: false, reason: `no edit was found; ${WANTED}` };
  return { ok: true, ...readProse(read.prose), edits: read.edits };
}

// A reasoning model's thoughts hold drafts of edits that it did not mean to give.
function withoutThinking(text: string): string {
  const end = /^\s*<think(?:ing)?>/.test(text) ? /<\/think(?:ing)?>/.exec(text) : null;
  return end ? text.slice(end.index + end[0].length) : text;
}

interface Reader {
  edits: Edit[];
  /** Lines outside of blocks. */
  prose: string[];
  /** The path that the next block belongs to. */
  path: string | null;
  /** Set while inside a fence that holds blocks, or that holds nothing of ours. */
  open: Fence | null;
}

function readEdits(lines: readonly string[], known: ReadonlySet<string>): { edits: Edit[]; prose: string[] } | string {
  const reader: Reader = { edits: [], prose: [], path: null, open: null };
  const fences = readFences(lines);
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (reader.edits.length >= MOST_EDITS)
      return `the answer has more than ${MOST_EDITS} edits; expected a small change`;
    const fence = fences.at(at);
    if (searchMarks(line) > 0) {
      const next = takeSearchBlock(reader, lines, at);
      if (typeof next === 'string') return next;
      at = next;
    } else if (fence === null) {
      readLine(reader, line, known);
    } else if (reader.open !== null && fence.info === '' && fence.length >= reader.open.length) {
      reader.open = null;
      reader.path = null;
    } else {
      const path = pathInInfo(fence.info, known) ?? reader.path;
      if (path === null || holdsSearchBlocks(lines, at + 1)) {
        reader.open ??= fence;
        reader.path = path;
        continue;
      }
      if (/^(?:diff|patch)\b/i.test(fence.info) && !/\.(?:diff|patch)$/.test(path))
        return `a unified diff came for ${path}; ${WANTED}`;
      const end = fences.closeOf(at, fence);
      if (end === null)
        return `the block for ${path} that opens in line ${at + 1} is never closed; expected a line with ${fence.mark.repeat(fence.length)} behind it (was the answer cut off?)`;
      const content = lines.slice(at + 1, end);
      reader.edits.push({ path, content: content.length === 0 ? '' : `${content.join('\n')}\n` });
      reader.path = null;
      at = end;
    }
  }
  return reader;
}

function readLine(reader: Reader, line: string, known: ReadonlySet<string>): void {
  if (line.trim() === '') return void reader.prose.push(line);
  const path = pathInLine(line, known);
  reader.path = path;
  if (path === null && (reader.open === null || isLabelled(line))) reader.prose.push(line);
}

function takeSearchBlock(reader: Reader, lines: readonly string[], at: number): number | string {
  // Several blocks may follow one path.
  const path = reader.path ?? reader.edits.at(-1)?.path;
  if (path === undefined) return `the SEARCH block in line ${at + 1} names no file; ${WANTED}`;
  const block = readSearchBlock(lines, at);
  if (!block.ok)
    return `the SEARCH block for ${path} that opens in line ${at + 1} has no line ${block.missing} (was the answer cut off?)`;
  reader.edits.push({ path, search: block.search, replace: block.replace });
  reader.path = null;
  return block.end;
}

// Looks past a blank line and a path: a fence around blocks is decoration.
function holdsSearchBlocks(lines: readonly string[], from: number): boolean {
  for (let i = from; i < Math.min(from + 4, lines.length); i += 1) {
    if (searchMarks(lines[i] ?? '') > 0) return true;
  }
  return false;
}
