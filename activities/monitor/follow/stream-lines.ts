import { AT_BEGINNING, codesInUtf8, cutStream, type Unfinished } from '../../../domain/metric/lines.ts';

/** Position of the reader in a stream; plain JSON. */
export interface StreamState {
  /** Bytes up to which all lines are read. */
  offset: number;
  /** Set inside a line that is too long; the rest of the line is skipped. */
  skipping?: true;
}

/** Splits one stream of a run, which comes in chunks of any size, into lines. */
export interface StreamLines {
  /** Lines that the chunk completes. `isEnd`: true if it completes any line, even an empty one. */
  push(chunk: Uint8Array): { texts: string[]; isEnd: boolean };
  /** The last line if it has no line break; call it after the last chunk. */
  finish(): string[];
  state(): StreamState;
}

export function createStreamLines(from: StreamState): StreamLines {
  let { offset } = from;
  let unfinished: Unfinished = { ...AT_BEGINNING, skipping: from.skipping === true };
  return {
    push(chunk) {
      // Latin-1 keeps one character per byte, so lengths are byte offsets.
      const piece = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
      const cut = cutStream(unfinished, piece);
      offset += unfinished.rest.length + piece.length - cut.left.rest.length;
      unfinished = cut.left;
      return { texts: cut.lines.map(decode), isEnd: cut.isEnd };
    },
    finish() {
      const { rest, skipping } = unfinished;
      offset += rest.length;
      unfinished = AT_BEGINNING;
      return skipping || rest === '' ? [] : [decode(rest)];
    },
    state: () => (unfinished.skipping ? { offset, skipping: true } : { offset }),
  };
}

const decode = (bytes: string): string => Buffer.from(codesInUtf8(bytes), 'latin1').toString('utf8');
