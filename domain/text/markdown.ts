import { oneLine } from './sanitize.ts';

/** Characters that begin something in Markdown or HTML, wherever they stand; a colon and `www.` make addresses. */
const MARKS = /[\\`*_{}[\]<>#|~!&$^]|(?<=[a-z]):(?=\S)|(?<=\bwww)\./gi;
/** The same of a list, where the text begins a line. */
const BULLET = /^(?:[-+](?!\d)|\d+[.)](?=\s|$))/;

/** Foreign text as one line of Markdown that is shown as it is: no link, no picture, no tag, no mark of its own. */
export const plainMarkdown = (text: string): string =>
  oneLine(text)
    .replace(MARKS, '\\$&')
    .replace(BULLET, (bullet) => `${bullet.slice(0, -1)}\\${bullet.slice(-1)}`);
