import { shellQuote } from './shell-quote.ts';

/** A text as one word for a POSIX shell, in quotes only if it needs them. */
export const shellWord = (word: string): string => (/^[\w@%+=:,./~-]+$/.test(word) ? word : shellQuote(word));
