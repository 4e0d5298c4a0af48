import { shellQuote } from '../text/shell-quote.ts';

/** A shell loop that runs `line` for each of the paths, with the path in `"$path"`. */
export const forEachPath = (paths: readonly string[], line: string): string =>
  `for path in ${paths.map(shellQuote).join(' ')}; do ${line}; done`;
