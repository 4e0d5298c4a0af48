import { pathProblem } from '../task/path-problem.ts';
import type { FailureLabel } from '../trial.ts';
import type { Edit } from './edit.ts';
import { applySearch } from './apply-search.ts';

export type Applied =
  | { ok: true; files: Record<string, string> }
  | { ok: false; label: Extract<FailureLabel, `edit-${string}` | 'no-change'>; reason: string };

/** Largest text that a mutable file may become, in characters. */
const LONGEST_FILE = 1_000_000;

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
    const next = 'content' in edit ? wholeFile(old, edit.content) : applySearch(old, edit);
    if (typeof next !== 'string') return stuck(next.reason);
    const unfit = unfitReason(path, next);
    if (unfit !== null) return stuck(unfit);
    now.set(path, next);
  }
  const changed = [...now].some(([path, text]) => files[path] !== text);
  if (!changed)
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

// A whole file comes with `\n` and a last line feed, whatever the old one had; that alone is no change.
function wholeFile(old: string, content: string): string {
  const crlf = old.includes('\r\n') && !content.includes('\r');
  const text = crlf ? content.replaceAll('\n', '\r\n') : content;
  return old !== '' && !old.endsWith('\n') ? text.replace(/\r?\n$/, '') : text;
}

function unfitReason(path: string, text: string): string | null {
  if (text.length > LONGEST_FILE) return `${path} would have ${text.length} characters, more than ${LONGEST_FILE}`;
  if (text.includes('\0')) return `${path} would hold a NUL character; expected text`;
  if (!text.isWellFormed()) return `${path} would hold half a character (a lone surrogate); expected text`;
  return null;
}
