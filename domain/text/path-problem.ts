/**
 * The reason why a path of a task or an edit is rejected; null for a valid path. A path is relative, with forward
 * slashes, without `.` or `..` parts, and without characters that some file systems treat specially. The same holds for
 * globs.
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
