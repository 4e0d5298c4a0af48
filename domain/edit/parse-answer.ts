import { type Opening, type AnswerSource, endOfBlock, withoutTail } from './answer/block-end.ts';
import { type Fence, readFences } from './answer/fences.ts';
import { columnsOf, sharedColumns, withoutColumns } from './answer/indent.ts';
import { editedTwice } from './answer/edited-twice.ts';
import { type AnswerPaths, type KnownPaths, knownPaths, withoutPrototype } from './answer/known-paths.ts';
import { mayNameOther, mentionsOther, quotedPath } from './answer/mentions.ts';
import { deletedPath, pathInInfo, pathInLine, saysName } from './answer/path.ts';
import { isLabelled, readProse } from './answer/prose.ts';
import { nameInMark, readSearchBlock, searchMarks } from './answer/search-block.ts';
import { findMatches } from './apply/find-matches.ts';
import { withLineFeeds } from './apply/line-ends.ts';
import { stripThoughts } from './answer/strip-thoughts.ts';
import { wordsOf } from './answer/words.ts';
import { beginsDiff, DIFF_INFO, endOfBareDiff, isDiff } from './diff/is-diff.ts';
import { readDiff } from './diff/read-diff.ts';
import type { Edit } from './edit.ts';
import { whyNotWholeFile } from './whole/why-not-whole-file.ts';

/** A model's answer as edits, or a reason, which the model can act on, why the answer cannot be used. */
export type Answer =
  { ok: true; hypothesis: string; expectedDelta: number | null; edits: Edit[] } | { ok: false; reason: string };

const LONGEST_ANSWER = 4_000_000;
const MOST_EDITS = 500;
/** Most fences without a path that are checked for a diff. */
const MOST_DIFF_CHECKS = 500;
const WANTED =
  'expected SEARCH/REPLACE blocks or a whole file in a fenced block, each under a line with the path of its file';

/**
 * Reads a model's answer; the prompt describes its form (`ANSWER_FORMAT`). Takes any text, in linear time, and never
 * throws. `given` are the paths of the mutable files, so that odd paths (`Makefile`, paths with blanks) are recognised.
 * `files` are their texts.
 */
export function parseAnswer(
  text: string,
  given: readonly string[] | AnswerPaths = [],
  files: Readonly<Record<string, string>> = {},
): Answer {
  if (text.trim() === '') return { ok: false, reason: `the answer is empty; ${WANTED}` };
  if (text.length > LONGEST_ANSWER)
    return { ok: false, reason: `the answer has ${text.length} characters, more than ${LONGEST_ANSWER}` };
  const { paths, deletes }: AnswerPaths = 'paths' in given ? given : { paths: given, deletes: false };
  const against = { known: knownPaths(paths), files: withoutPrototype(files) };
  const answer = stripThoughts(text, against);
  if (answer === null)
    return {
      ok: false,
      reason: `the thoughts of the answer never end, so that no edit follows them; ${WANTED}`,
    };
  const lines = withoutTail(answer).split(/\r\n|\n|\r/);
  const read = readEdits({ lines, fences: readFences(lines), ...against, deletes });
  if (typeof read === 'string') return { ok: false, reason: read };
  const twice = editedTwice(read.edits);
  if (twice !== null)
    return {
      ok: false,
      reason:
        `${twice} is given as a whole file and in another edit, too; expected one whole file or ` +
        'SEARCH/REPLACE blocks alone, and no examples or alternatives under its path',
    };
  if (read.edits.length === 0)
    return { ok: false, reason: `no edit was found${answer === text ? '' : ' after the thoughts'}; ${WANTED}` };
  return { ok: true, ...readProse(read.prose), edits: read.edits };
}

interface Reader {
  edits: Edit[];
  /** Lines outside of blocks. */
  prose: string[];
  /** Path of the next block. */
  path: string | null;
  /** Line that named `path`. */
  heading: string;
  /** Last path that a line named since the previous edit. */
  named: string | null;
  /** Paths named since the previous edit, the last 20. A path named again heads its own edits, so it ends a plan. */
  plan: readonly string[];
  /** Last line since the previous edit that names no file, or the first one that may mean another file. */
  stray: { line: string; isOther: boolean } | null;
  /** Set inside a fence that holds blocks, or no edit. */
  open: Fence | null;
  /** Number of fences without a path that were checked for a diff. */
  diffChecks: number;
  /** Words of files, by path; filled on first use. */
  words: Map<string, ReadonlySet<string>>;
}

/** Resets the reader after an edit: lines before it no longer count. */
const NOTHING = { path: null, heading: '', named: null, plan: [], stray: null };

function readEdits(source: AnswerSource): { edits: Edit[]; prose: string[] } | string {
  const reader: Reader = { edits: [], prose: [], ...NOTHING, open: null, diffChecks: 0, words: new Map() };
  for (let at = 0; at < source.lines.length; at += 1) {
    if (reader.edits.length >= MOST_EDITS)
      return `the answer has more than ${MOST_EDITS} edits; expected a small change`;
    const next = takeNext(reader, source, at);
    if (typeof next === 'string') return next;
    at = next;
  }
  return reader;
}

/** Reads what begins in a line. Returns the last line that was read, or a reason to reject the answer. */
function takeNext(reader: Reader, source: AnswerSource, at: number): number | string {
  if (searchMarks(source.lines[at] ?? '') > 0) return takeSearchBlock(reader, source, at);
  const fence = source.fences.at(at);
  return fence === null ? takeLine(reader, source, at) : takeFence(reader, source, { at, fence });
}

function takeLine(reader: Reader, source: AnswerSource, at: number): number | string {
  const line = source.lines[at] ?? '';
  const gone = source.deletes === true && reader.open === null ? deletedPath(line, source.known) : null;
  if (gone !== null) {
    reader.edits.push({ path: gone, remove: true });
    Object.assign(reader, NOTHING);
    return at;
  }
  const end = endOfBareDiff(source.lines, at);
  if (end === 'unclear')
    return `the diff in line ${at + 1} has a line that begins with neither a blank, + nor -; ${WANTED}`;
  if (end !== null) return takeDiff(reader, source, { lines: source.lines.slice(at, end), end: end - 1 });
  if (line.trim() === '') reader.prose.push(line);
  else readLine(reader, line, source);
  return at;
}

function readLine(reader: Reader, line: string, source: AnswerSource): void {
  const path = pathInLine(line, source.known);
  Object.assign(reader, { path, heading: line });
  if (path !== null) {
    const plan = reader.plan.includes(path) ? [path] : [...reader.plan.slice(-19), path];
    Object.assign(reader, { named: path, plan, stray: null });
    return;
  }
  const labelled = isLabelled(line);
  if (!labelled && /[\p{L}\p{N}]/u.test(line) && !reader.stray?.isOther)
    reader.stray = { line: line.trim(), isOther: meansOther(reader, line.trim(), source) };
  if (reader.open === null || labelled) reader.prose.push(line);
}

/** Reads a fence: the end or the beginning of a fence around blocks, or a block. */
function takeFence(
  reader: Reader,
  source: AnswerSource,
  { at, fence }: Pick<Opening, 'at' | 'fence'>,
): number | string {
  const { lines, fences, known, files } = source;
  if (reader.open !== null && fence.info === '' && fence.length >= reader.open.length) {
    Object.assign(reader, { open: null, path: null });
    return at;
  }
  const path = infoPath(fence, reader.path, known) ?? reader.path;
  const holds = holdsSearchBlocks(source, at + 1);
  const close = !holds && (path !== null || mayBeDiff(reader, lines, { at, fence })) ? fences.closeOf(at, fence) : null;
  const inner = withoutIndent(lines.slice(at + 1, close ?? at + 1), fence);
  if (close !== null && isDiff(inner, { fence, path, old: path === null ? undefined : files[path] }))
    return takeDiff(reader, source, { lines: inner, end: close });
  const foreign = path === null && !holds ? nameAbove(source, at) : null;
  if (foreign !== null)
    return (
      `the block in line ${at + 1} stands under ${JSON.stringify(foreign)}, ` +
      `which is none of the files (${listPaths(known)}); ${WANTED}`
    );
  if (path === null || holds) {
    reader.open ??= fence;
    reader.path = path;
    // An info string in lower case is a language: `makefile`.
    if (
      holds &&
      path === null &&
      known.list.length === 1 &&
      !/^[a-z]*$/.test(fence.info) &&
      mentionsOther(fence.info, known.list)
    )
      reader.stray = { line: fence.info, isOther: true };
    return at;
  }
  const end = endOfBlock(source, { at, fence, path, wrapped: reader.open !== null });
  const marks = fence.mark.repeat(fence.length);
  const block = `the block for ${path} that opens in line ${at + 1}`;
  if (end === 'never')
    return `${block} is never closed; expected a line with ${marks} after it (was the answer cut off?)`;
  if (end === 'unclear')
    return (
      `the end of ${block} is ambiguous, since more lines with ${marks} follow it; ` +
      `use a longer fence (${marks}${fence.mark}) around the whole file, ` +
      'and put no other fenced block in the answer'
    );
  const content = withoutIndent(lines.slice(at + 1, end), fence);
  const problem = whyNotWholeFile(content, { fence, path, heading: reader.heading, old: files[path] ?? '' });
  if (problem !== null) return `${block} ${problem}`;
  const first = content.find((line) => line.trim() !== '') ?? '';
  if (fence.indent > 0 && columnsOf(first) > 0 && sharedColumns(lines.slice(at + 1, end), fence.indent) < fence.indent)
    return `the indent of ${block} is ambiguous; begin the fence and the file in the first column`;
  reader.edits.push({ path, content: content.length === 0 ? '' : `${content.join('\n')}\n` });
  Object.assign(reader, NOTHING);
  return end;
}

const listPaths = ({ list }: KnownPaths): string => list.slice(0, 20).join(', ');

/** Line right above a fence, if it gives a file name; the caller has found no known path there. */
function nameAbove({ lines, known }: AnswerSource, at: number): string | null {
  if (known.list.length === 0) return null;
  const above = lines.slice(Math.max(0, at - 2), at).findLast((line) => line.trim() !== '') ?? '';
  return saysName(above) && !isLabelled(above) ? above.trim().slice(0, 200) : null;
}

function mayBeDiff(reader: Reader, lines: readonly string[], { at, fence }: Pick<Opening, 'at' | 'fence'>): boolean {
  if (!DIFF_INFO.test(fence.info) && !beginsDiff(lines, at + 1) && !beginsDiff(lines, at + 2)) return false;
  reader.diffChecks += 1;
  return reader.diffChecks < MOST_DIFF_CHECKS;
}

/** Path in an info string. Below a line with a path, a language that is also a file (`Makefile`) does not count. */
function infoPath(fence: Fence, above: string | null, known: KnownPaths): string | null {
  return above !== null && /^\S*$/.test(fence.info) && !/[./]/.test(fence.info) ? null : pathInInfo(fence.info, known);
}

function takeDiff(
  reader: Reader,
  source: AnswerSource,
  block: { lines: readonly string[]; end: number },
): number | string {
  const { known, files } = source;
  const edits = readDiff(block.lines, { path: reader.path, known, files, deletes: source.deletes === true });
  if (typeof edits === 'string') return edits;
  reader.edits.push(...edits);
  Object.assign(reader, NOTHING);
  return block.end;
}

function takeSearchBlock(reader: Reader, source: AnswerSource, at: number): number | string {
  const { lines, known, files } = source;
  const { stray } = reader;
  const before = reader.edits.at(-1)?.path;
  const listed = known.list.length === 0 ? '' : ` (the files are ${listPaths(known)})`;
  const named = stray === null ? '' : `: the line ${JSON.stringify(stray.line.slice(0, 200))} above it is none of them`;
  // Several blocks may follow one path, but not if a line between them may mean another file.
  const quoted = stray === null ? null : quotedPath(stray.line, known);
  const meant = quoted !== null && (reader.named ?? quoted) === quoted ? quoted : null;
  const markName = nameInMark(lines[at] ?? '');
  const markPath = markName === '' ? null : (known.named(markName) ?? pathInLine(markName, known));
  if (markName !== '' && markPath === null && meansOther(reader, markName, source))
    return (
      `the SEARCH block in line ${at + 1} names ${JSON.stringify(markName)} behind its mark, ` +
      `which is no file${listed}; ${WANTED}`
    );
  const path = markPath ?? reader.path ?? meant ?? (stray?.isOther ? undefined : (reader.named ?? before));
  if (path === undefined)
    return `the SEARCH block in line ${at + 1} names no file${listed}${listed === '' ? '' : named}; ${WANTED}`;
  const block = readSearchBlock(lines, at);
  if (!block.ok) return `the SEARCH block for ${path} that opens in line ${at + 1} has ${block.why}`;
  const { search, replace, inset } = block;
  const old = withLineFeeds(files[path] ?? '');
  const matches = inset !== null && findMatches(old, search).lines.count > 0;
  if (inset !== null && matches && findMatches(old, inset.search).lines.count > 0)
    return (
      `the SEARCH block for ${path} that opens in line ${at + 1} is indented, and the file has its text both with ` +
      'and without this indent; begin the whole block in the first column'
    );
  const texts = inset === null || matches ? { search, replace } : inset;
  reader.edits.push({ path, ...texts });
  Object.assign(reader, NOTHING);
  return block.end;
}

/** True if a line may mean a file other than the named or only one. Any line may if it is unclear which that is. */
function meansOther({ named, plan, words }: Reader, line: string, { known, files }: AnswerSource): boolean {
  const isOne = known.list.length === 1;
  const own = (plan.length > 1 && !isOne ? null : named) ?? (isOne ? known.list[0] : undefined);
  if (own === undefined || known.list.length === 0) return known.list.length > 1 && !/\bsame file\b/i.test(line);
  const ownWords = words.get(own) ?? wordsOf(files[own] ?? '');
  words.set(own, ownWords);
  return mayNameOther(line, { own, known, words: ownWords });
}

/** Lines of a block without the indent that they share with their fence. */
const withoutIndent = (lines: readonly string[], { indent }: Fence): string[] =>
  withoutColumns(lines, sharedColumns(lines, indent));

/** True if SEARCH blocks begin in a fence, behind at most three blank lines, paths, labels or comments. */
function holdsSearchBlocks({ lines, known }: AnswerSource, from: number): boolean {
  for (let i = from; i < Math.min(from + 4, lines.length); i += 1) {
    const line = lines[i] ?? '';
    if (searchMarks(line) > 0) return true;
    const isAside = line.trim() === '' || /^\s*(?:#|\/\/|\/\*|\*|--|<!--|;)/.test(line) || isLabelled(line);
    if (!isAside && pathInLine(line, known) === null) return false;
  }
  return false;
}
