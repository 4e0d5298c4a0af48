import { type Fence, type Fences, isOfBlock } from './fences.ts';
import type { KnownFiles } from './known-paths.ts';
import { pathInInfo, pathInLine } from './path.ts';
import { searchMarks } from './search-block.ts';

/** An answer that is being read: its lines and fences, with the files that it may change. */
export interface AnswerSource extends KnownFiles {
  lines: readonly string[];
  fences: Fences;
  /** True: a line `DELETE path` deletes a file, and so does a diff. */
  deletes?: boolean;
}

/** A fence that opens a block in line `at` (from 0); `wrapped`: it stands inside a fence around the answer. */
export interface Opening {
  at: number;
  fence: Fence;
  path: string;
  wrapped: boolean;
}

/**
 * Finds the line that ends the whole file in a fenced block. Fences of the same length may belong to the file. The end
 * is then returned only if a single reading remains, or if the old file holds the same inner block; else it is
 * `unclear`. `never`: no fence ends the block.
 */
export function endOfBlock(source: AnswerSource, opening: Opening): number | 'never' | 'unclear' {
  const { lines, fences, known } = source;
  const { at, fence, wrapped } = opening;
  const end = fences.closeOf(at, fence);
  if (end === null) return 'never';
  let nested = 1;
  for (let i = at + 1; i <= end; i += 1) {
    if (i < end && known.list.length > 0 && opensBlock(source, i, fence)) return 'unclear';
    const found = fences.at(i);
    if (!found || !isOfBlock(found, fence)) continue;
    if (found.info === '') nested -= 1;
    else if (found.length === fence.length) nested += 1;
  }
  // The fence at `end` closes an inner block, and no fence closes this one.
  if (nested > 0) return 'unclear';
  // Bare fences behind the end that close nothing: any of them may be the true end.
  const stray: number[] = [];
  let open = false;
  for (let i = end + 1; i < lines.length && !startsEdit(source, i); i += 1) {
    const found = fences.at(i);
    if (!found || !isOfBlock(found, fence)) continue;
    if (found.info !== '') open = true;
    else if (open) open = false;
    else stray.push(i);
  }
  if (stray.length === 0 || (wrapped && stray.length === 1)) return end;
  const last = stray.at(-1) ?? end;
  const inner = [end, ...stray.slice(0, -1)];
  return inner.length % 2 === 0 && areOld(source, opening.path, inner) ? last : 'unclear';
}

/** True if the blocks between these fences, in pairs, occur unchanged in the old file. */
function areOld({ lines, files }: AnswerSource, path: string, fences: readonly number[]): boolean {
  const old = `\n${(files[path] ?? '').replace(/\r\n?/g, '\n')}\n`;
  return fences.every((from, i) => {
    const to = fences[i + 1];
    return i % 2 === 1 || (to !== undefined && old.includes(`\n${lines.slice(from, to + 1).join('\n')}\n`));
  });
}

/** True if a line right above a block names a known file, or if a fence does. */
function opensBlock({ lines, fences, known }: AnswerSource, at: number, opened: Fence): boolean {
  const own = fences.at(at);
  if (own) return isOfBlock(own, opened) && own.info !== '' && known.list.includes(pathInInfo(own.info, known) ?? '');
  const next = nextLine(lines, at);
  const fence = next === null ? null : fences.at(next);
  if (!fence || !isOfBlock(fence, opened)) return false;
  return known.list.includes(pathInLine(lines[at] ?? '', known) ?? '');
}

/** True if the next edit begins at this line, so that the block before it has ended. */
function startsEdit({ lines, fences, known }: AnswerSource, at: number): boolean {
  const line = lines[at] ?? '';
  if (searchMarks(line) > 0) return true;
  const own = fences.at(at);
  if (own) return own.info !== '' && pathInInfo(own.info, known) !== null;
  if (line.trim() === '') return false;
  const next = nextLine(lines, at);
  return (
    next !== null &&
    (fences.at(next) !== null || searchMarks(lines[next] ?? '') > 0) &&
    pathInLine(line, known) !== null
  );
}

/** First line behind `at` that is not blank, if at most ten blank lines come before it; else null. */
function nextLine(lines: readonly string[], at: number): number | null {
  for (let i = at + 1; i < Math.min(at + 12, lines.length); i += 1) if (lines[i]?.trim() !== '') return i;
  return null;
}

/** Text that a template appends to an answer: special tokens, and the end of a tag around it. */
const TAILS = [
  String.raw`\s+`,
  String.raw`<\|[\w ]{1,30}\|>`,
  String.raw`<[|｜][^<>\n]{1,40}[|｜]>`,
  String.raw`<\/(?:answer|response|output|final|solution|s)>`,
  String.raw`\[END[A-Z ]{0,40}\]`,
];
const LAST = new RegExp(`(?:${TAILS.join('|')})$`, 'i');
const MOST = 10;

/** Removes the text that a template appends to an answer. */
export function withoutTail(text: string): string {
  let rest = text.trimEnd();
  for (let i = 0; i < MOST; i += 1) {
    const found = LAST.exec(rest.slice(-60));
    if (!found) break;
    rest = rest.slice(0, rest.length - found[0].length).trimEnd();
  }
  return rest;
}
