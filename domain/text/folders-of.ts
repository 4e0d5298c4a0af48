/** The folders that a relative path lies in, the outermost first: `a` and `a/b` of `a/b/c`. Whether it is a valid path is not checked. */
export function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, n) => parts.slice(0, n + 1).join('/'));
}
