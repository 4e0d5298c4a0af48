/** The names that a line of a diff's head may mean (`--- a/x`, `+++ b/x`, `*** Update File: x`): as it stands, and without its prefix. */
export function namesInHeader(line: string): string[] {
  const text = /^(?:---|\+\+\+|\*\*\* Update File:) *(.+)$/.exec(line)?.[1];
  if (text === undefined) return [];
  const bare = unquoted(text.replace(TIME, '').trim());
  const short = bare.replace(/^(?:[abciow12]|old|new|original|modified)\//, '');
  return short === bare ? [bare] : [bare, short];
}

/** Behind the name stands a tab, a date, or a word about its version. */
const TIME =
  /(?:\t.*|\s+\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}.*)?|\s+\((?:original|modified|old|new|before|after|working copy|revision \d+)\))$/i;

// Git writes what is not ASCII as its bytes, in octal.
function unquoted(text: string): string {
  const inner = /^"(.*)"$/.exec(text)?.[1];
  if (inner === undefined) return text;
  const bytes: number[] = [];
  for (const [, octal, escaped, plain] of inner.matchAll(/\\([0-3][0-7]{2})|\\(.)|([^\\]+)/g))
    bytes.push(...(octal === undefined ? new TextEncoder().encode(escaped ?? plain ?? '') : [parseInt(octal, 8)]));
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
