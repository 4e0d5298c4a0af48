import { quote } from '../text/quote.ts';

/** The same line for each of the paths, which it has as `"$path"`. */
export const forEach = (paths: readonly string[], line: string): string =>
  `for path in ${paths.map(quote).join(' ')}; do ${line}; done`;
