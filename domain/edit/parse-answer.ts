import { type Opening, type AnswerSource, endOfBlock, withoutTail } from './answer/block-end.ts';
import { type Fence, readFences } from './answer/fences.ts';
import { columnsOf, sharedColumns, withoutColumns } from './answer/indent.ts';
import { type KnownPaths, knownPaths } from './answer/known-paths.ts';
import { mayNameOther, mentionsOther, quotedPath } from './answer/mentions.ts';
import { pathInInfo, pathInLine, saysName } from './answer/path.ts';
import { isLabelled, readProse } from './answer/prose.ts';
import { readSearchBlock, searchMarks } from './answer/search-block.ts';
import { findMatches } from './apply/find-matches.ts';
import { withLineFeeds } from './apply/line-ends.ts';
import { stripThoughts } from './answer/strip-thoughts.ts';
import { wordsOf } from './answer/words.ts';
import { beginsDiff, DIFF_INFO, endOfBareDiff, isDiff } from './diff/is-diff.ts';
import { readDiff } from './diff/read-diff.ts';
import type { Edit } from './edit.ts';
import { whyNotWholeFile } from './whole/why-not-whole-file.ts';

/** A model's answer as edits, or why it is none, in words that the model can act on. */
export type Answer =
  { ok: true; hypothesis: string; expectedDelta: number | null; edits: Edit[] } | { ok: false; reason: string };

const LONGEST_ANSWER = 4_000_000;
const MOST_EDITS = 500;
const MOST_LOOKS = 500;
const WANTED =
  'expected SEARCH/REPLACE blocks or a whole file in a fenced block, each under a line with the path of its file';

/**
 * Reads a model's answer (see `ANSWER_FORMAT` for what it was told). Takes any text, in linear time, and never
 * throws. `known` are the paths of the mutable files, so that odd ones (`Makefile`, with blanks) are recognised; `files` what
 * stands in them.
 */
export function parseAnswer(
  text: string,
  known: readonly string[] = [],
  files: Readonly<Record<string, string>> = {},
): Answer {
  if (text.trim() === '') return { ok: false, reason: `the answer is empty; ${WANTED}` };
  if (text.length > LONGEST_ANSWER)
    return { ok: false, reason: `the answer has ${text.length} characters, more than ${LONGEST_ANSWER}` };
  const against = { known: knownPaths(known), files };
  const answer = stripThoughts(text, against);
  if (answer === null)
    return {
      ok: false,
      reason: `the thoughts of the answer never end, so that nothing behind them is an edit; ${WANTED}`,
    };
  const lines = withoutTail(answer).split(/\r\n|\n|\r/);
  const read = readEdits({ lines, fences: readFences(lines), ...against });
  if (typeof read === 'string') return { ok: false, reason: read };
  const twice = editedTwice(read.edits);
  if (twice !== null)
    return {
      ok: false,
      reason: `${twice} is given as a whole file and in another edit, too; expected one whole file or SEARCH/REPLACE blocks alone, and no examples or alternatives under its path`,
    };
  if (read.edits.length === 0)
    return { ok: false, reason: `no edit was found${answer === text ? '' : ' behind the thoughts'}; ${WANTED}` };
  return { ok: true, ...readProse(read.prose), edits: read.edits };
}

/** A path that a whole file and another edit have, unless both say the same. */
function editedTwice(edits: readonly Edit[]): string | null {
  const first = new Map<string, Edit>();
  for (const edit of edits) {
    const before = first.get(edit.path);
    if (before === undefined) first.set(edit.path, edit);
    else if ('content' in before !== 'content' in edit) return edit.path;
    else if ('content' in before && 'content' in edit && before.content !== edit.content) return edit.path;
  }
  return null;
}

interface Reader {
  edits: Edit[];
  /** Lines outside of blocks. */
  prose: string[];
  /** The path that the next block belongs to. */
  path: string | null;
  /** The line that named it. */
  heading: string;
  /** The last path that a line named since the edit before. */
  named: string | null;
  /** The paths named since then, the last 20; one that is named again stands above its own edits, and ends a plan. */
  plan: readonly string[];
  /** The last line since the edit before that names no file, or the first one that may be meant to name another. */
  stray: { line: string; isOther: boolean } | null;
  /** Set while inside a fence that holds blocks, or that holds nothing of ours. */
  open: Fence | null;
  /** How many fences without a path were looked into for a diff. */
  looks: number;
  /** The words of files, where they had to be looked up. */
  words: Map<string, ReadonlySet<string>>;
}

/** What lines said before an edit, behind it. */
const NOTHING = { path: null, heading: '', named: null, plan: [], stray: null };

function readEdits(source: AnswerSource): { edits: Edit[]; prose: string[] } | string {
  const reader: Reader = { edits: [], prose: [], ...NOTHING, open: null, looks: 0, words: new Map() };
  const { lines, fences } = source;
  for (let at = 0; at < lines.length; at += 1) {
    if (reader.edits.length >= MOST_EDITS)
      return `the answer has more than ${MOST_EDITS} edits; expected a small change`;
    const fence = fences.at(at);
    const next =
      searchMarks(lines[at] ?? '') > 0
        ? takeSearchBlock(reader, source, at)
        : fence === null
          ? takeLine(reader, source, at)
          : takeFence(reader, source, { at, fence });
    if (typeof next === 'string') return next;
    at = next;
  }
  return reader;
}

function takeLine(reader: Reader, source: AnswerSource, at: number): number | string {
  const line = source.lines[at] ?? '';
  const end = endOfBareDiff(source.lines, at);
  if (end === 'unclear')
    return `the diff in line ${at + 1} is cut in two by a line that begins with none of a blank, + and -; ${WANTED}`;
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
    return void Object.assign(reader, { named: path, plan, stray: null });
  }
  const labelled = isLabelled(line);
  if (!labelled && /[\p{L}\p{N}]/u.test(line) && !reader.stray?.isOther)
    reader.stray = { line: line.trim(), isOther: meansOther(reader, line.trim(), source) };
  if (reader.open === null || labelled) reader.prose.push(line);
}

/** A fence: the end of one around blocks, the beginning of such a one, or a block. Returns the last line that was read. */
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
    return `the block in line ${at + 1} stands under ${JSON.stringify(foreign)}, which is none of the files (${known.list.slice(0, 20).join(', ')}); ${WANTED}`;
  if (path === null || holds) {
    reader.open ??= fence;
    reader.path = path;
    // In small letters it is a language: `makefile`.
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
  if (end === 'never')
    return `the block for ${path} that opens in line ${at + 1} is never closed; expected a line with ${marks} behind it (was the answer cut off?)`;
  if (end === 'unclear')
    return `where the block for ${path} that opens in line ${at + 1} ends is unclear, since more lines with ${marks} stand behind it: fences of the same length inside; use a longer one (${marks}${fence.mark}) around the whole file, and put no other fenced block in the answer`;
  const content = withoutIndent(lines.slice(at + 1, end), fence);
  const problem = whyNotWholeFile(content, { fence, path, heading: reader.heading, old: files[path] ?? '' });
  if (problem !== null) return `the block for ${path} that opens in line ${at + 1} ${problem}`;
  const first = content.find((line) => line.trim() !== '') ?? '';
  if (fence.indent > 0 && columnsOf(first) > 0 && sharedColumns(lines.slice(at + 1, end), fence.indent) < fence.indent)
    return `how far in the lines of the block for ${path} that opens in line ${at + 1} stand is unclear; begin the fence and the file at the start of a line`;
  reader.edits.push({ path, content: content.length === 0 ? '' : `${content.join('\n')}\n` });
  Object.assign(reader, NOTHING);
  return end;
}

/** The line right above a fence, where it gives a name that no file has. */
function nameAbove({ lines, known }: AnswerSource, at: number): string | null {
  if (known.list.length === 0) return null;
  const above = lines.slice(Math.max(0, at - 2), at).findLast((line) => line.trim() !== '') ?? '';
  return saysName(above) && !isLabelled(above) ? above.trim().slice(0, 200) : null;
}

function mayBeDiff(reader: Reader, lines: readonly string[], { at, fence }: Pick<Opening, 'at' | 'fence'>): boolean {
  if (!DIFF_INFO.test(fence.info) && !beginsDiff(lines, at + 1) && !beginsDiff(lines, at + 2)) return false;
  reader.looks += 1;
  return reader.looks < MOST_LOOKS;
}

// A language that is the name of a file, too (`Makefile`), does not count against the line above.
function infoPath(fence: Fence, above: string | null, known: KnownPaths): string | null {
  return above !== null && /^\S*$/.test(fence.info) && !/[./]/.test(fence.info) ? null : pathInInfo(fence.info, known);
}

function takeDiff(
  reader: Reader,
  source: AnswerSource,
  block: { lines: readonly string[]; end: number },
): number | string {
  const { known, files } = source;
  const edits = readDiff(block.lines, { path: reader.path, known, files });
  if (typeof edits === 'string') return edits;
  reader.edits.push(...edits);
  Object.assign(reader, NOTHING);
  return block.end;
}

function takeSearchBlock(reader: Reader, source: AnswerSource, at: number): number | string {
  const { lines, known, files } = source;
  const { stray } = reader;
  const before = reader.edits.at(-1)?.path;
  const listed = known.list.length === 0 ? '' : ` (the files are ${known.list.slice(0, 20).join(', ')})`;
  const named = stray === null ? '' : `: the line ${JSON.stringify(stray.line.slice(0, 200))} above it is none of them`;
  // Several blocks may follow one path, but not where a line between them may be meant as another.
  const quoted = stray === null ? null : quotedPath(stray.line, known);
  const meant = quoted !== null && (reader.named ?? quoted) === quoted ? quoted : null;
  const inMark = nameInMark(lines[at] ?? '');
  const said = inMark === '' ? null : (known.named(inMark) ?? pathInLine(inMark, known));
  if (inMark !== '' && said === null && meansOther(reader, inMark, source))
    return `the SEARCH block in line ${at + 1} names ${JSON.stringify(inMark)} behind its mark, which is no file${listed}; ${WANTED}`;
  const path = said ?? reader.path ?? meant ?? (stray?.isOther ? undefined : (reader.named ?? before));
  if (path === undefined)
    return `the SEARCH block in line ${at + 1} names no file${listed}${listed === '' ? '' : named}; ${WANTED}`;
  const block = readSearchBlock(lines, at);
  if (!block.ok) return `the SEARCH block for ${path} that opens in line ${at + 1} has ${block.why}`;
  const { search, replace, inset } = block;
  const old = withLineFeeds(files[path] ?? '');
  const stands = inset !== null && findMatches(old, search).lines.count > 0;
  if (inset !== null && stands && findMatches(old, inset.search).lines.count > 0)
    return `the SEARCH block for ${path} that opens in line ${at + 1} stands in by some blanks, and its text is in the file both with and without them; begin all of the block at the start of a line`;
  reader.edits.push({ path, ...(inset === null || stands ? { search, replace } : inset) });
  Object.assign(reader, NOTHING);
  return block.end;
}

/** Whether a line may mean a file other than the one named before it, or the only one; with several, and none or more than one named, it may. */
function meansOther({ named, plan, words }: Reader, line: string, { known, files }: AnswerSource): boolean {
  const isOne = known.list.length === 1;
  const own = (plan.length > 1 && !isOne ? null : named) ?? (isOne ? known.list[0] : undefined);
  if (own === undefined || known.list.length === 0) return known.list.length > 1 && !/\bsame file\b/i.test(line);
  const there = words.get(own) ?? wordsOf(files[own] ?? '');
  words.set(own, there);
  return mayNameOther(line, { own, known, words: there });
}

/** What stands behind the word of a mark, without the lines that it gives. */
const nameInMark = (line: string): string =>
  (/SEARCH\b[\s:]*(.*)$/.exec(line)?.[1] ?? '')
    .replace(
      /[\s,:@([]*\b(?:(?:at|from|on)\s{1,3})?(?:lines?|block|part|edit|no|L)?[\s.:#]{0,3}\d{1,7}(?:\s{0,2}[-–/]\s{0,2}L?\d{1,7})?[)\]:]*\s*$/i,
      '',
    )
    .trim();

/** Lines of a block without the white space that they stand in with their fence. */
const withoutIndent = (lines: readonly string[], { indent }: Fence): string[] =>
  withoutColumns(lines, sharedColumns(lines, indent));

/** Whether a fence around blocks begins here: before the first one stand only blank lines, a path, labels and comments, a few. */
function holdsSearchBlocks({ lines, known }: AnswerSource, from: number): boolean {
  for (let i = from; i < Math.min(from + 4, lines.length); i += 1) {
    const line = lines[i] ?? '';
    if (searchMarks(line) > 0) return true;
    const isAside = line.trim() === '' || /^\s*(?:#|\/\/|\/\*|\*|--|<!--|;)/.test(line) || isLabelled(line);
    if (!isAside && pathInLine(line, known) === null) return false;
  }
  return false;
}
