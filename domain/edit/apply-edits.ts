import { pathProblem } from '../text/path-problem.ts';
import type { FailureLabel } from '../trial.ts';
import type { Edit } from './edit.ts';
import { applySearch } from './apply/apply-search.ts';
import { findOmissionLine } from './apply/omission-line.ts';
import { searchMarks } from './answer/search-block.ts';
import { tooLargeTogether } from './mutable-size.ts';
import { withEndsOf, withLineFeeds } from './apply/line-ends.ts';

export type Applied =
  | { ok: true; files: Record<string, string> }
  | { ok: false; label: Extract<FailureLabel, `edit-${string}` | 'no-change'>; reason: string };

/** Replacement character of `cleanText`, through which all text of an endpoint goes. */
const REPLACED = '\ufffd';
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Applies edits in order, all or none. `files` are the parent's mutable files. Only files among `mutablePaths` may be
 * changed, and no edit creates a file.
 */
export function applyEdits(
  files: Record<string, string>,
  edits: readonly Edit[],
  mutablePaths: readonly string[],
): Applied {
  const now = new Map(Object.entries(files));
  for (const edit of edits) {
    const path = edit.path.replace(/^\.\//, '');
    const problem = pathProblem(path);
    if (problem !== null || !mutablePaths.includes(path)) {
      const why = problem === null ? 'it is not one of them' : problem;
      const given = JSON.stringify(path.slice(0, 200));
      const reason = `expected edits of ${listPaths(mutablePaths)} only, got ${given}: ${why}`;
      return { ok: false, label: 'edit-outside-mutable', reason };
    }
    const old = now.get(path);
    if (old === undefined)
      return doesNotApply(`${path} is mutable but not among the parent's files: ${listPaths([...now.keys()])}`);
    const next = keepByteOrderMark(old, (text) => changeText(text, { ...edit, path }));
    if (typeof next !== 'string') return doesNotApply(next.reason);
    const unfit = unfitReason(path, next);
    if (unfit !== null) return doesNotApply(unfit);
    if (next.includes(REPLACED) && !old.includes(REPLACED))
      return doesNotApply(
        `${path} would hold U+FFFD, which replaces invalid characters of the answer (NUL, half a character); ` +
          'write such a character as an escape',
      );
    now.set(path, next);
  }
  if ([...now].every(([path, text]) => files[path] === text))
    return {
      ok: false,
      label: 'no-change',
      reason: 'expected at least one change; the edits leave every file as it was',
    };
  const changed = Object.fromEntries(now);
  const excess = tooLargeTogether(changed);
  return excess === null ? { ok: true, files: changed } : doesNotApply(excess);
}

const doesNotApply = (reason: string): Applied => ({ ok: false, label: 'edit-does-not-apply', reason });
const listPaths = (paths: readonly string[]): string =>
  paths.length === 0 ? '(none)' : paths.slice(0, 20).join(', ') + (paths.length > 20 ? ', …' : '');

type Changed = string | { reason: string };

/** Changes a text without its byte order mark, which is no part of the first line and stays in any case. */
function keepByteOrderMark(old: string, change: (text: string) => Changed): Changed {
  if (!old.startsWith(BYTE_ORDER_MARK)) return change(old);
  const next = change(old.slice(1));
  return typeof next === 'string' ? BYTE_ORDER_MARK + next : next;
}

const withoutMark = (text: string): string => (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);

function changeText(old: string, edit: Edit): Changed {
  const omission =
    'content' in edit
      ? findOmissionLine(old, edit.content, { whole: true })
      : findOmissionLine(old, edit.replace, { whole: false });
  if (omission !== null)
    return {
      reason:
        `the edit of ${edit.path} holds the line ${JSON.stringify(omission)}, ` +
        'which stands for code that was left out; write all of it, or change parts with SEARCH/REPLACE blocks',
    };
  if ('content' in edit) return wholeFile(edit.path, old, withoutMark(edit.content));
  return applySearch(old, { ...edit, search: withoutMark(edit.search), replace: withoutMark(edit.replace) });
}

/**
 * Returns a whole new file with the line ends that the old file had for the same lines. Content with a `\r` keeps its
 * line ends. If the old file's last line had no end, the new one has none. Rejects content with marks of another form
 * of edit that the old file did not hold.
 */
function wholeFile(path: string, old: string, content: string): Changed {
  const mark = findForeignMark(old, content);
  if (mark !== null)
    return {
      reason:
        `the block for ${path} is taken as the whole file, but holds the line ${JSON.stringify(mark.slice(0, 200))}; ` +
        'give either the whole new content without such marks, or SEARCH/REPLACE blocks alone, ' +
        'right under the line with the path',
    };
  const text = content.includes('\r') ? content : withEndsOf(old, content);
  return old !== '' && !/[\r\n]$/.test(old) ? text.replace(/(?:\r\n|\n|\r)$/, '') : text;
}

const MARK = /^\s*(?:>{5,20} ?REPLACE\b|<{7} \S|>{7} \S|\|{7} \S)/;

/** True if a part of a context diff or a normal diff begins at this line. Neither kind is read. */
function isOldDiff(lines: readonly string[], at: number): boolean {
  const [line = '', next = ''] = lines.slice(at, at + 2);
  return (
    /^\*{3} \d+(?:,\d+)? \*{4}$/.test(line) || (/^\d+(?:,\d+)?[acd]\d+(?:,\d+)?$/.test(line) && /^[<>] /.test(next))
  );
}

/** First line with a mark of SEARCH/REPLACE, an unresolved merge or an old kind of diff, unless the old file has it. */
function findForeignMark(old: string, content: string): string | null {
  if (!/[<>|*]{4}|^\d+[acd,]/m.test(content)) return null;
  const oldLines = new Set(withLineFeeds(old).split('\n'));
  const lines = withLineFeeds(content).split('\n');
  const found = lines.find(
    (line, at) => (searchMarks(line) > 0 || MARK.test(line) || isOldDiff(lines, at)) && !oldLines.has(line),
  );
  return found?.trim() ?? null;
}

/** Reason why a text cannot be a mutable file, or null: characters that a text file cannot hold. */
export function unfitReason(path: string, text: string): string | null {
  if (text.includes('\0')) return `${path} would hold a NUL character; expected text`;
  if (!text.isWellFormed()) return `${path} would hold half a character (a lone surrogate); expected text`;
  return null;
}
