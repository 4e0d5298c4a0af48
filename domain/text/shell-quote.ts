/** A word as a POSIX shell reads it back, whatever it holds. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
