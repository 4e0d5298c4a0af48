import picomatch from 'picomatch';

/**
 * Compiles a glob (`*`, `**`, `?`, `{a,b}`, `[ab]`) for relative paths with forward slashes. It matches dot files, too.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const matches = picomatch(glob, { dot: true, nonegate: true, windows: false });
  // A wrapper: picomatch answers otherwise if it gets a second argument, such as the index from `filter`.
  return (path) => matches(path);
}
