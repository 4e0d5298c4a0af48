import { pathProblem } from '../text/path-problem.ts';
import type { FailureLabel } from '../trial.ts';
import type { Edit, ReplacedPart, WholeFile } from './edit.ts';
import { applySearch } from './apply/apply-search.ts';
import { findOmissionLine } from './apply/omission-line.ts';
import {
  creationProblem,
  type EditScope,
  findViolation,
  mutableOnly,
  removalProblem,
  type Violation,
} from './scope/edit-scope.ts';
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
 * Applies edits in order, all or none. `files` are the parent's mutable files. `allowed`: what may be changed; paths
 * alone mean that these files may be changed, and that no file is made or deleted.
 */
export function applyEdits(
  files: Record<string, string>,
  edits: readonly Edit[],
  allowed: readonly string[] | EditScope,
): Applied {
  const scope = 'rules' in allowed ? allowed : mutableOnly(allowed);
  const now = new Map(Object.entries(files));
  for (const edit of edits) {
    const failed = applyOne(now, edit, scope);
    if (failed !== null) return failed;
  }
  const isSame = ([path, text]: [string, string]): boolean => Object.hasOwn(files, path) && files[path] === text;
  if (now.size === Object.keys(files).length && [...now].every(isSame))
    return {
      ok: false,
      label: 'no-change',
      reason: 'expected at least one change; the edits leave every file as it was',
    };
  const changed = Object.fromEntries(now);
  const violation = findViolation(files, changed, scope);
  if (violation !== null) return outside(describeViolation(violation, scope));
  const excess = tooLargeTogether(changed);
  return excess === null ? { ok: true, files: changed } : doesNotApply(excess);
}

type Failed = Extract<Applied, { ok: false }>;

/** Applies an edit to the files; returns why it cannot be applied, or null. */
function applyOne(now: Map<string, string>, edit: Edit, scope: EditScope): Failed | null {
  const path = edit.path.replace(/^\.\//, '');
  const old = now.get(path);
  const problem = pathProblem(path) ?? (old === undefined ? absenceProblem(path, scope) : null);
  if (problem !== null) return outside(describeViolation({ path, reason: problem, isRegion: false }, scope));
  if ('remove' in edit) {
    if (old === undefined) return doesNotApply(`${path} cannot be deleted: there is no such file`);
    now.delete(path);
    return null;
  }
  if (old === undefined && 'search' in edit && edit.search.trim() !== '')
    return doesNotApply(`${path} is not among the parent's files, so that a SEARCH text matches nothing in it`);
  const next = keepByteOrderMark(old ?? '', (text) => changeText(text, { ...edit, path }));
  if (typeof next !== 'string') return doesNotApply(next.reason);
  const unfit = unfitReason(path, next);
  if (unfit !== null) return doesNotApply(unfit);
  if (next.includes(REPLACED) && old?.includes(REPLACED) !== true)
    return doesNotApply(
      `${path} would hold U+FFFD, which replaces invalid characters of the answer (NUL, half a character); ` +
        'write such a character as an escape',
    );
  now.set(path, next);
  return null;
}

/** The reason why no edit may make a file that the parent lacks; null if one may. */
function absenceProblem(path: string, scope: EditScope): string | null {
  if (!scope.mutablePaths.includes(path)) {
    if (scope.rules.create.length === 0) return 'it is not one of them';
    return creationProblem(path, scope);
  }
  // An earlier candidate deleted it.
  return removalProblem(path, scope) === null ? null : 'the parent lacks it';
}

function describeViolation({ path, reason, isRegion }: Violation, { mutablePaths, rules }: EditScope): string {
  if (isRegion) return reason;
  const more = rules.create.length === 0 ? '' : ` and new files that match ${rules.create.join(', ')}`;
  const only = rules.create.length === 0 ? ' only' : '';
  const given = JSON.stringify(path.slice(0, 200));
  return `expected edits of ${listPaths(mutablePaths)}${only}${more}, got ${given}: ${reason}`;
}

const outside = (reason: string): Failed => ({ ok: false, label: 'edit-outside-mutable', reason });
const doesNotApply = (reason: string): Failed => ({ ok: false, label: 'edit-does-not-apply', reason });
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

function changeText(old: string, edit: ReplacedPart | WholeFile): Changed {
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
