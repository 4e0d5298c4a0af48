import { shellQuote } from '../../domain/text/shell-quote.ts';

const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Returns a line that `sh -c` splits into these words. A single word is already a line, with its pipes and quotes. */
export function shellLine(words: readonly string[]): string {
  const [only] = words;
  return words.length === 1 && only !== undefined ? only : words.map(quoted).join(' ');
}

const quoted = (word: string): string => (PLAIN.test(word) ? word : shellQuote(word));
