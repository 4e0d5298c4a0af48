/** A word of a shell script, whatever is in it. */
export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The same line for each of the paths, which it has as `"$path"`. */
export const forEach = (paths: readonly string[], line: string): string =>
  `for path in ${paths.map(quote).join(' ')}; do ${line}; done`;
