/** What a template puts behind an answer: special tokens, and the end of a tag around it. */
const LAST =
  /(?:\s+|<\|[\w ]{1,30}\|>|<[|｜][^<>\n]{1,40}[|｜]>|<\/(?:answer|response|output|final|solution|s)>|\[END[A-Z ]{0,40}\])$/i;
const MOST = 10;

/** An answer without what its template puts at its end. */
export function withoutTail(text: string): string {
  let rest = text.trimEnd();
  for (let i = 0; i < MOST; i += 1) {
    const found = LAST.exec(rest.slice(-60));
    if (!found) break;
    rest = rest.slice(0, rest.length - found[0].length).trimEnd();
  }
  return rest;
}
