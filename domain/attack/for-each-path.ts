import { shellQuote } from '../text/shell-quote.ts';

/** The same line for each of the paths, which it has as `"$path"`. */
export const forEachPath = (paths: readonly string[], line: string): string =>
  `for path in ${paths.map(shellQuote).join(' ')}; do ${line}; done`;
