/** Where a command writes; a terminal says so. */
export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

/** What a command has of the world; tests give their own. */
export interface Io {
  stdout: Output;
  stderr: Output;
  /** The environment to read the configuration from; the process's own where it is left out. */
  env?: Record<string, string | undefined>;
  /** Aborted by Ctrl-C: followers end in order. */
  signal?: AbortSignal;
  /** From here on Ctrl-C ends the process at once: it computes, and would not hear of `signal`. */
  exitOnInterrupt?: () => void;
  /** From here on TERM ends the process at once, and nothing else: what it looks on at goes on. */
  exitOnTerm?: () => void;
  /** Asks the person before the terminal for a line; absent where there is none. */
  ask?: (question: string) => Promise<string>;
  /** Milliseconds that `start` waits for a worker to open the research; a test on a busy machine waits longer. */
  openingTimeoutMs?: number;
}

/** Writes one line. */
export const printLine = (io: Io, line = ''): void => void io.stdout.write(`${line}\n`);

/** Writes one JSON value on one line. */
export const printJson = (io: Io, value: unknown): void => printLine(io, JSON.stringify(value));

/** A note for people beside the output, so that the output stays what it is. */
export const printNote = (io: Io, line: string): void => void io.stderr.write(`${line}\n`);
