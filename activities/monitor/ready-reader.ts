import type { Run } from '../../db/run/run.ts';

/** Time after which an unfinished line that contains the text counts as complete. */
const WHOLE_AFTER_MS = 1000;
const LINE_END = 0x0a;

/** State of the reader at the committed offset; plain JSON. */
interface ReaderState {
  /** Base64 of the last bytes, which may be the beginning of the text. */
  tail: string;
  /** True if the unfinished last line contains the text. */
  isHeld?: boolean;
}

/** Searches a server's output for the line that reports that the server serves. */
export interface ReadyReader {
  read(chunk: Uint8Array): void;
  isReady(): boolean;
  /** State with which a newer attempt continues. */
  state(): ReaderState;
}

/**
 * Creates a reader that continues after the chunks that an earlier attempt read. The text, and the rest of its line,
 * may be split between chunks. The text contains no line break, so the bytes need not be split into lines. `now`:
 * milliseconds.
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
