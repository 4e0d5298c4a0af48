import type { Sender } from '../domain/messages/sender.ts';

/** Output stream of a command. */
export interface Output {
  write(text: string): unknown;
  /** True for a terminal. */
  isTTY?: boolean;
  /** Width of the terminal in cells. */
  columns?: number;
}

/** Connections of a command to its surroundings; tests pass their own. */
export interface Io {
  /** Program for which messages to researches are sent; default: the command line. */
  sender?: Sender;
  stdout: Output;
  stderr: Output;
  /** Environment with the configuration; default: the environment of the process. */
  env?: Record<string, string | undefined>;
  /** Aborted by Ctrl-C: commands that follow something end in order. */
  signal?: AbortSignal;
  /** Makes Ctrl-C and TERM end the process at once: a long computation would not notice `signal`. */
  exitOnInterrupt?: () => void;
  /** Makes TERM end the process at once, without any effect on the job that it follows. */
  exitOnTerm?: () => void;
  /** Makes a closed stdout interrupt the command like Ctrl-C. Without it, a closed stdout ends the process at once. */
  interruptOnClosedOutput?: () => void;
  /** Reads a line from the person at the terminal; absent if there is no terminal. */
  ask?: (question: string) => Promise<string>;
  /** Milliseconds that `start` waits for a worker to open the research; a test on a busy machine waits longer. */
  openingTimeoutMs?: number;
}

/** Writes one line. */
export const printLine = (io: Io, line = ''): void => void io.stdout.write(`${line}\n`);

/** Writes one JSON value on one line. */
export const printJson = (io: Io, value: unknown): void => printLine(io, JSON.stringify(value));

/** Writes a note for people to stderr, so that stdout has the output alone. */
export const printNote = (io: Io, line: string): void => void io.stderr.write(`${line}\n`);
