import { shellQuote } from './shell-quote.ts';

/** A word as a POSIX shell reads it back; in quotes only where it needs them. */
export const shellWord = (word: string): string => (/^[\w@%+=:,./~-]+$/.test(word) ? word : shellQuote(word));
