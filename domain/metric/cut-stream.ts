import { cutLines } from './lines.ts';

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
