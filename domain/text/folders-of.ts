/** Folders that contain a relative path, outermost first: `a` and `a/b` for `a/b/c`. The path is not validated. */
export function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, n) => parts.slice(0, n + 1).join('/'));
}
