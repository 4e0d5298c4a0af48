import { AT_BEGINNING, codesInUtf8, cutStream, type Unfinished } from '../../../domain/metric/lines.ts';

/** Where the reader of a stream is; plain JSON. */
export interface StreamState {
  /** All lines before it are read. */
  offset: number;
  /** It is within a line that is too long, of which nothing is read. */
  skipping?: true;
}

/** The lines of one stream of a run, which comes in pieces of any size. */
export interface StreamLines {
  /** The lines that a piece ends, and whether it ends any, be it an empty one. */
  push(chunk: Uint8Array): { texts: string[]; isEnd: boolean };
  /** The last line where it has no end, once nothing more will come. */
  finish(): string[];
  state(): StreamState;
}

export function createStreamLines(from: StreamState): StreamLines {
  let { offset } = from;
  let left: Unfinished = { ...AT_BEGINNING, skipping: from.skipping === true };
  return {
    push(chunk) {
      const piece = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
      const cut = cutStream(left, piece);
      offset += left.rest.length + piece.length - cut.left.rest.length;
      left = cut.left;
      return { texts: cut.lines.map(decode), isEnd: cut.isEnd };
    },
    finish() {
      const { rest, skipping } = left;
      offset += rest.length;
      left = AT_BEGINNING;
      return skipping || rest === '' ? [] : [decode(rest)];
    },
    state: () => ({ offset, ...(left.skipping ? { skipping: true } : {}) }),
  };
}

const decode = (bytes: string): string => Buffer.from(codesInUtf8(bytes), 'latin1').toString('utf8');
