import { shellQuote } from '../../domain/text/shell-quote.ts';

const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** A line that `sh -c` reads as these words; a single one is a line of the shell's as it stands, with its pipes and quotes. */
export function shellLine(words: readonly string[]): string {
  const [only] = words;
  return words.length === 1 && only !== undefined ? only : words.map(quoted).join(' ');
}

const quoted = (word: string): string => (PLAIN.test(word) ? word : shellQuote(word));
