import type { EventEmitter } from 'node:events';
import type { Duplex, Readable } from 'node:stream';

/** The streams of one program on a host. Emits `exit` with its exit code, null where a signal ended it, then `close`. */
export interface Channel extends Duplex {
  stderr: Readable;
  /** Gives it up on both sides; the program itself is not ended. */
  close(): void;
}

/** What opens channels: a login by SSH, or this very machine. Emits `close` once it is over. */
export interface Login extends EventEmitter {
  exec(command: string, opened: (error: Error | undefined, channel: Channel) => void): unknown;
  /** Asked of a server only to hear it answer. */
  unforwardIn(address: string, port: number, answered: () => void): unknown;
  end(): unknown;
  destroy(): unknown;
}
