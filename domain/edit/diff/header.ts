/** The names that a header line (`--- a/x`, `+++ b/x`, `*** Update File: x`) may mean: with and without the prefix. */
export function namesInHeader(line: string): string[] {
  const text = /^(?:---|\+\+\+|\*\*\* Update File:) *(.+)$/.exec(line)?.[1];
  if (text === undefined) return [];
  const bare = unquoted(text.replace(TIME, '').trim());
  const short = bare.replace(/^(?:[abciow12]|old|new|original|modified)\//, '');
  return short === bare ? [bare] : [bare, short];
}

const VERSIONS = String.raw`original|modified|old|new|before|after|working copy|revision \d+`;
/** Text behind the name: a tab, a date, or a word about its version. */
const TIME = new RegExp(String.raw`(?:\t.*|\s+\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}.*)?|\s+\((?:${VERSIONS})\))$`, 'i');

/** Decodes a name in Git's quotes: the bytes of characters outside of ASCII are in octal. */
function unquoted(text: string): string {
  const inner = /^"(.*)"$/.exec(text)?.[1];
  if (inner === undefined) return text;
  const bytes: number[] = [];
  for (const [, octal, escaped, plain] of inner.matchAll(/\\([0-3][0-7]{2})|\\(.)|([^\\]+)/g))
    bytes.push(...(octal === undefined ? new TextEncoder().encode(escaped ?? plain ?? '') : [parseInt(octal, 8)]));
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
