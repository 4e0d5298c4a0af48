/** Text that Postgres can hold as text and as JSON: no NUL, no half of a surrogate pair; each becomes U+FFFD. */
export function storable(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8').replaceAll('\0', '\uFFFD');
}
