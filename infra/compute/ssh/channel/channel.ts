import type { EventEmitter } from 'node:events';
import type { Duplex, Readable } from 'node:stream';

/** Streams of one program on a host. Emits `exit` with its exit code (null: ended by a signal), then `close`. */
export interface Channel extends Duplex {
  stderr: Readable;
  /** Closes the channel on both sides, but does not end the program. */
  close(): void;
}

/** A source of channels: a login by SSH, or this very machine. Emits `close` when it is over. */
export interface Login extends EventEmitter {
  exec(command: string, opened: (error: Error | undefined, channel: Channel) => void): unknown;
  /** Request that changes nothing on the server; its answer shows that the server lives. */
  unforwardIn(address: string, port: number, answered: () => void): unknown;
  end(): unknown;
  destroy(): unknown;
}
