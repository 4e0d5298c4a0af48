import { pathProblem } from '../text/path-problem.ts';
import type { FailureLabel } from '../trial.ts';
import type { Edit } from './edit.ts';
import { applySearch } from './apply/apply-search.ts';
import { findOmissionLine } from './apply/omission-line.ts';
import { searchMarks } from './answer/search-block.ts';
import { withEndsOf, withLineFeeds } from './apply/line-ends.ts';

export type Applied =
  | { ok: true; files: Record<string, string> }
  | { ok: false; label: Extract<FailureLabel, `edit-${string}` | 'no-change'>; reason: string };

/** Largest text that a mutable file may become, in characters. */
const LONGEST_FILE = 1_000_000;
/** See `cleanText`; all that an endpoint says went through it. */
const REPLACED = '\ufffd';
const BYTE_ORDER_MARK = '\ufeff';

/**
 * The files after the edits, in order; all or nothing. `files` are the parent's mutable files, and only those among
 * `mutablePaths` may be changed: no edit makes a new file.
 */
export function applyEdits(
  files: Record<string, string>,
  edits: readonly Edit[],
  mutablePaths: readonly string[],
): Applied {
  const now = new Map(Object.entries(files));
  for (const edit of edits) {
    const path = edit.path.replace(/^\.\//, '');
    const hostile = pathProblem(path);
    if (hostile !== null || !mutablePaths.includes(path)) {
      const why = hostile === null ? 'it is not one of them' : hostile;
      const reason = `expected edits of ${listed(mutablePaths)} only, came ${JSON.stringify(path.slice(0, 200))}: ${why}`;
      return { ok: false, label: 'edit-outside-mutable', reason };
    }
    const old = now.get(path);
    if (old === undefined)
      return stuck(`${path} is mutable but not among the parent's files: ${listed([...now.keys()])}`);
    const next = withMark(old, (text) => changed(text, { ...edit, path }));
    if (typeof next !== 'string') return stuck(next.reason);
    const unfit = unfitReason(path, next);
    if (unfit !== null) return stuck(unfit);
    if (next.includes(REPLACED) && !old.includes(REPLACED))
      return stuck(
        `${path} would hold U+FFFD, which stands for what is no text in the answer (NUL, half a character); write such a character as an escape`,
      );
    now.set(path, next);
  }
  if ([...now].every(([path, text]) => files[path] === text))
    return {
      ok: false,
      label: 'no-change',
      reason: 'the edits leave every file as it was; expected at least one change',
    };
  return { ok: true, files: Object.fromEntries(now) };
}

const stuck = (reason: string): Applied => ({ ok: false, label: 'edit-does-not-apply', reason });
const listed = (paths: readonly string[]): string =>
  paths.length === 0 ? '(none)' : paths.slice(0, 20).join(', ') + (paths.length > 20 ? ', …' : '');

// A byte order mark is no part of the first line: it stays, whether or not an edit shows it.
function withMark(old: string, change: (text: string) => string | { reason: string }): string | { reason: string } {
  if (!old.startsWith(BYTE_ORDER_MARK)) return change(old);
  const next = change(old.slice(1));
  return typeof next === 'string' ? BYTE_ORDER_MARK + next : next;
}

const unmarked = (text: string): string => (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);

function changed(old: string, edit: Edit): string | { reason: string } {
  const gone =
    'content' in edit
      ? findOmissionLine(old, edit.content, { whole: true })
      : findOmissionLine(old, edit.replace, { whole: false });
  if (gone !== null)
    return {
      reason: `the edit of ${edit.path} holds the line ${JSON.stringify(gone)}, which stands for code that was left out; write all of it, or change parts with SEARCH/REPLACE blocks`,
    };
  if ('content' in edit) return wholeFile(edit.path, old, unmarked(edit.content));
  return applySearch(old, { ...edit, search: unmarked(edit.search), replace: unmarked(edit.replace) });
}

/**
 * A whole new file with the line ends that the old one had for the same lines. The last line has an end where the old one's
 * had; what holds a `\r` of its own stays as it is. Refused where it holds marks of another form that the old one did not hold.
 */
function wholeFile(path: string, old: string, content: string): string | { reason: string } {
  const mark = markIn(old, content);
  if (mark !== null)
    return {
      reason: `the block for ${path} is taken as the whole file, but holds the line ${JSON.stringify(mark.slice(0, 200))}; give either the whole new content without such marks, or SEARCH/REPLACE blocks alone, right under the line with the path`,
    };
  const text = content.includes('\r') ? content : withEndsOf(old, content);
  return old !== '' && !/[\r\n]$/.test(old) ? text.replace(/(?:\r\n|\n|\r)$/, '') : text;
}

const MARK = /^\s*(?:>{5,20} ?REPLACE\b|<{7} \S|>{7} \S|\|{7} \S)/;

/** A part of a diff of the older kinds, which are not read. */
function isOldDiff(lines: readonly string[], at: number): boolean {
  const [line = '', next = ''] = lines.slice(at, at + 2);
  return (
    /^\*{3} \d+(?:,\d+)? \*{4}$/.test(line) || (/^\d+(?:,\d+)?[acd]\d+(?:,\d+)?$/.test(line) && /^[<>] /.test(next))
  );
}

/** A line of SEARCH/REPLACE, of a merge that was left half done, or of an older kind of diff. */
function markIn(old: string, content: string): string | null {
  if (!/[<>|*]{4}|^\d+[acd,]/m.test(content)) return null;
  const there = new Set(withLineFeeds(old).split('\n'));
  const lines = withLineFeeds(content).split('\n');
  const found = lines.find(
    (line, at) => (searchMarks(line) > 0 || MARK.test(line) || isOldDiff(lines, at)) && !there.has(line),
  );
  return found?.trim() ?? null;
}

/** Why a text cannot be a mutable file, or null: its length, and characters that no file of text holds. */
export function unfitReason(path: string, text: string): string | null {
  if (text.length > LONGEST_FILE) return `${path} would have ${text.length} characters, more than ${LONGEST_FILE}`;
  if (text.includes('\0')) return `${path} would hold a NUL character; expected text`;
  if (!text.isWellFormed()) return `${path} would hold half a character (a lone surrogate); expected text`;
  return null;
}
