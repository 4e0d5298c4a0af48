/**
 * Why a path of a task or of an edit is refused, or null: relative, forward slashes, no `.` or `..` parts, nothing
 * that a file system reads in its own way. Globs follow the same rule.
 */
export function pathProblem(path: string): string | null {
  if (path === '') return 'it is empty';
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'it holds control characters';
  if (path.includes('\\')) return 'it holds a backslash';
  if (/^(?:[A-Za-z]:)?\//.test(path)) return 'it is absolute';
  if (/^[A-Za-z]:/.test(path)) return `it begins with ${path.slice(0, 2)}, which Windows reads as a drive`;
  if (path.startsWith('~')) return 'it starts with ~';
  if (path.length > 1024) return 'it is longer than 1024 characters';
  const parts = path.split('/');
  if (parts.includes('..')) return 'it leaves its folder with ..';
  if (parts.includes('.') || parts.includes('')) return 'it has an empty part or a dot as a part';
  return null;
}

/** True if `inner` is `outer` or lies below it; both clean and relative. */
export function liesIn(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(`${outer}/`);
}
