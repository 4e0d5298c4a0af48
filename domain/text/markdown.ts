import { oneLine } from './sanitize.ts';

/** Characters with a meaning in Markdown or HTML at any position. A colon and `www.` may make a link. */
const MARKS = /[\\`*_{}[\]<>#|~!&$^]|(?<=[a-z]):(?=\S)|(?<=\bwww)\./gi;
/** Markers of a list at the beginning of a text. */
const BULLET = /^(?:[-+](?!\d)|\d+[.)](?=\s|$))/;

/** Foreign text as one line of Markdown that renders literally: without links, images, tags and formatting. */
export const plainMarkdown = (text: string): string =>
  oneLine(text)
    .replace(MARKS, '\\$&')
    .replace(BULLET, (bullet) => `${bullet.slice(0, -1)}\\${bullet.slice(-1)}`);
