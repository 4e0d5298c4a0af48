import type { Run } from '../../db/run/run.ts';

/** A line that holds the text and stays so long without its end is taken as it is. */
const WHOLE_AFTER_MS = 1000;
const LINE_END = 0x0a;

/** State of the reader at the committed offset; plain JSON. */
interface ReaderState {
  /** Base64 of the last bytes, of which the next ones may make the text. */
  tail: string;
  /** The line that is being printed holds the text. */
  isHeld?: boolean;
}

/** Looks for the line by which a server says that it serves. */
export interface ReadyReader {
  read(chunk: Uint8Array): void;
  isReady(): boolean;
  /** To go on with where a newer attempt follows the run. */
  state(): ReaderState;
}

/**
 * The text, and the rest of its line, may come in pieces, of which an earlier attempt has read the first. The text is a part
 * of one line: other lines need not be told apart. `now`: milliseconds.
 */
export function createReadyReader(
  text: string,
  run: Pick<Run, 'readyAt' | 'reader'>,
  now: () => number = () => performance.now(),
): ReadyReader {
  const wanted = Buffer.from(text);
  const before = run.reader as ReaderState | null;
  let isReady = run.readyAt !== null;
  let tail = Buffer.from(before?.tail ?? '', 'base64');
  let heldSince = before?.isHeld ? now() : null;
  const readOn = (chunk: Uint8Array): void => {
    const seen = Buffer.concat([tail, chunk]);
    const at = seen.indexOf(wanted);
    tail = Buffer.from(seen.subarray(Math.max(0, seen.length - wanted.length + 1)));
    if (at < 0) return;
    heldSince = now();
    isReady = seen.includes(LINE_END, at);
  };
  return {
    read: (chunk) => {
      if (isReady) return;
      if (heldSince === null) readOn(chunk);
      else isReady = chunk.includes(LINE_END);
    },
    isReady: () => (isReady ||= heldSince !== null && now() - heldSince >= WHOLE_AFTER_MS),
    state: () => {
      if (isReady) return { tail: '' };
      return { tail: tail.toString('base64'), ...(heldSince === null ? {} : { isHeld: true }) };
    },
  };
}
