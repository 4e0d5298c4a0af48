import picomatch from 'picomatch';

/** True for paths (relative, forward slashes) that a glob matches: `*`, `**`, `?`, `{a,b}`, `[ab]`; dot files too. */
export function globMatcher(glob: string): (path: string) => boolean {
  const matches = picomatch(glob, { dot: true, nonegate: true, windows: false });
  // A second argument, such as the index that filter gives, would change what picomatch answers.
  return (path) => matches(path);
}
