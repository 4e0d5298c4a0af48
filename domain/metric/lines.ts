/**
 * The end of a line: wherever the cursor of a terminal leaves a line, or goes back in it. So a line feed, a carriage return, a
 * backspace, and the codes that move it up, down, back or to a place, or erase the whole line; a bar that is drawn again is
 * another line. ASCII alone: the bytes of a text are cut at the same places as the text.
 */
const END = /[\n\r\x08]|\x1b(?:[8DEM]|\[(?:[\d;:]*[ABDEFHJSTdefu]|[01]?[G`]|[12]K))/;

/** Moves to the right, which leave blanks. */
const RIGHT = /(?:\x1b\[|\x9b)[\d;:]*[CGa`]/g;
const CODES = new RegExp(
  [
    // Control sequences (colours), with parameters and intermediates; of one that is cut what is there.
    /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?/,
    // Strings (titles, links), up to their end, another code, or the end of the line.
    /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?/,
    /\x1b[ -/]*[0-~]?/,
    // NUL is no code: what stores a text replaces it.
    /[\x01-\x07\x0e-\x1f\x7f-\x9f]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** Longest part of a line that is looked at: a pattern of a task meets whatever a run prints. */
const LINE_CHARACTERS = 16_384;

/** Cuts off the lines that have their end, as they came; `rest` has none yet. Takes text, or bytes with one in each character. */
export function cutLines(text: string): { lines: string[]; rest: string } {
  const lines = text.split(END);
  return { rest: lines.pop() ?? '', lines };
}

/** What a person sees of a line, without colours and other codes of a terminal. */
export const plainLine = (line: string): string =>
  line.replace(RIGHT, ' ').replace(CODES, '').slice(0, LINE_CHARACTERS);

/** All lines of a text, the last one with or without its end, without codes; what is empty is none. */
export function linesOf(text: string): string[] {
  const { lines, rest } = cutLines(text);
  return [...lines, rest].map(plainLine).filter((line) => line !== '');
}

/** Characters of UTF-8 of several bytes, and bytes that are no part of one though they are codes in one byte. */
const WIDE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\x9f]/g;

/** Bytes, with one in each character, in which the codes of one byte are UTF-8, too, as all else may be. */
export const codesInUtf8 = (bytes: string): string =>
  bytes.replace(WIDE, (found) => (found.length === 1 ? `\xc2${found}` : found));

/** What follows the first end of a line; empty where there is none. */
export function afterFirstEnd(text: string): string {
  const end = END.exec(text);
  return end ? text.slice(end.index + end[0].length) : '';
}

/** Longest line that is read, in bytes. */
export const LINE_BYTES = 64 * 1024;

/** A code that may be the end of a line, once the rest of it is there. */
const CUT_CODE = /\x1b(?:\[[\d;:]{0,32})?$/;

/** Where the reader of a stream is within a line. */
export interface Unfinished {
  /** Bytes that were not read yet, each a character: the beginning of a line. */
  rest: string;
  /** The line is too long, and is no line however it comes. */
  skipping: boolean;
}

export const AT_BEGINNING: Unfinished = { rest: '', skipping: false };

/** One more piece of a stream, in bytes with one in each character: the lines that it ends, whether it ends any, and what is left. */
export function cutStream(
  { rest: before, skipping }: Unfinished,
  piece: string,
): { lines: string[]; isEnd: boolean; left: Unfinished } {
  const { lines, rest } = cutLines(before + piece);
  const isEnd = lines.length > 0;
  if (skipping && isEnd) lines.shift();
  const code = CUT_CODE.exec(rest)?.[0] ?? '';
  const isLong = (skipping && !isEnd) || rest.length - code.length > LINE_BYTES;
  return {
    lines: lines.filter((line) => line !== '' && line.length <= LINE_BYTES),
    isEnd,
    left: isLong ? { rest: code, skipping: true } : { rest, skipping: false },
  };
}
