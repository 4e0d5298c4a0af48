import { quote } from './quote.ts';

/** A word as a POSIX shell reads it back; in quotes only where it needs them. */
export const quoteWord = (word: string): string => (/^[\w@%+=:,./~-]+$/.test(word) ? word : quote(word));
