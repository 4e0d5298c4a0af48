import type { Io } from '../io.ts';

/** The options with which the server was started. */
export interface Session {
  io: Io;
  /** Tasks that `start` may name; `any` with --allow-start. */
  startable: readonly string[] | 'any';
}

/** One call of a tool. */
export interface Call {
  session: Session;
  /** Aborted once the client no longer waits for the answer. */
  signal: AbortSignal;
  /** Reports what goes on, if the client wants to know. */
  report: (message: string) => Promise<void>;
}

/** The command's surroundings for one call: its output goes nowhere, since stdout belongs to the protocol. */
export const quiet = ({ session: { io }, signal }: Call): Io => ({
  ...(io.env ? { env: io.env } : {}),
  ...(io.openingTimeoutMs === undefined ? {} : { openingTimeoutMs: io.openingTimeoutMs }),
  sender: 'coding-agent',
  stdout: { write: () => true },
  stderr: { write: () => true },
  signal,
});
