import type { Run } from '../../db/run/run.ts';

/** State of the reader at the committed offset; plain JSON. */
interface ReaderState {
  /** Base64 of the last bytes, of which the next ones may make the text. */
  tail: string;
}

/** Looks for the text by which a server says that it serves. */
export interface ReadyReader {
  read(chunk: Uint8Array): void;
  isReady(): boolean;
  /** To go on with where a newer attempt follows the run. */
  state(): ReaderState;
}

/** The text may come in pieces, of which an earlier attempt has read the first. It is a part of one line: lines need not be told apart. */
export function createReadyReader(text: string, run: Pick<Run, 'readyAt' | 'reader'>): ReadyReader {
  const wanted = Buffer.from(text);
  let isReady = run.readyAt !== null;
  let tail = Buffer.from((run.reader as ReaderState | null)?.tail ?? '', 'base64');
  return {
    read: (chunk) => {
      if (isReady) return;
      const seen = Buffer.concat([tail, chunk]);
      isReady = seen.includes(wanted);
      tail = Buffer.from(seen.subarray(Math.max(0, seen.length - wanted.length + 1)));
    },
    isReady: () => isReady,
    state: () => ({ tail: isReady ? '' : tail.toString('base64') }),
  };
}
