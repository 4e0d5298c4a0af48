/** Text that Postgres can hold, as text and as JSON: no NUL, no half of a surrogate pair; each becomes U+FFFD. */
export const cleanText = (text: string): string =>
  Buffer.from(text, 'utf8').toString('utf8').replaceAll('\0', '\uFFFD');
