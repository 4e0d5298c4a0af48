/**
 * The end of a line: any code that moves a terminal's cursor out of the line or back in it, or erases the line. These
 * are line feed, carriage return, backspace, and cursor movements up, down, back or to a position. Each redraw of a
 * progress bar is therefore a line of its own. The pattern is ASCII only, so that text and its bytes are cut at the
 * same positions.
 */
const END = /[\n\r\x08]|\x1b(?:[8DEM]|\[(?:[\d;:]*[ABDEFHJSTdefu]|[01]?[G`]|[12]K))/;

/** Cursor movements to the right, which leave blanks. */
const RIGHT = /(?:\x1b\[|\x9b)[\d;:]*[CGa`]/g;
const CODES = new RegExp(
  [
    // Control sequences (colours), with parameters and intermediates, also if the line ends within one.
    /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?/,
    // Strings (titles, links), up to their terminator, another code, or the end of the line.
    /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?/,
    /\x1b[ -/]*[0-~]?/,
    // Single control characters except NUL, which `cleanText` replaces before a text is stored.
    /[\x01-\x07\x0e-\x1f\x7f-\x9f]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** Longest part of a line that is matched: it bounds the cost of a task's pattern on arbitrary output. */
const LINE_CHARACTERS = 16_384;

/**
 * Splits text into complete lines, unchanged, and the `rest` without an end. Accepts text, or bytes as one character
 * each.
 */
export function cutLines(text: string): { lines: string[]; rest: string } {
  const lines = text.split(END);
  return { rest: lines.pop() ?? '', lines };
}

/** A line as a person sees it, without colours and other terminal codes, cut to its longest matched part. */
export const plainLine = (line: string): string =>
  line.replace(RIGHT, ' ').replace(CODES, '').slice(0, LINE_CHARACTERS);

/** All lines of a text without terminal codes or empty lines. The last line may lack its end. */
export function linesOf(text: string): string[] {
  const { lines, rest } = cutLines(text);
  return [...lines, rest].map(plainLine).filter((line) => line !== '');
}

/** Multi-byte UTF-8 characters, and single bytes 0x80 to 0x9f outside of them, which are one-byte terminal codes. */
const WIDE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\x9f]/g;

/**
 * Re-encodes one-byte terminal codes as UTF-8, so that decoding keeps them. Takes and returns bytes as one character
 * each.
 */
export const codesInUtf8 = (bytes: string): string =>
  bytes.replace(WIDE, (found) => (found.length === 1 ? `\xc2${found}` : found));

/** The text after the first end of a line; empty if there is none. */
export function afterFirstEnd(text: string): string {
  const end = END.exec(text);
  return end ? text.slice(end.index + end[0].length) : '';
}

/** Longest line that a stream reader returns, in bytes. */
export const LINE_BYTES = 64 * 1024;

/** A code at the end of a piece that may turn out to be the end of a line once the next piece completes it. */
const CUT_CODE = /\x1b(?:\[[\d;:]{0,32})?$/;

/** Position of a stream reader within an unfinished line. */
export interface Unfinished {
  /** The beginning of the line, in bytes as one character each. */
  rest: string;
  /** True: the line is too long, and the reader drops it up to its end. */
  skipping: boolean;
}

export const AT_BEGINNING: Unfinished = { rest: '', skipping: false };

/**
 * Reads one more piece of a stream, in bytes as one character each. Returns the lines that the piece ends, without
 * empty and too long ones; `isEnd`: the piece ends at least one line; `left`: the state for the next piece.
 */
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
