#!/usr/bin/env node
import { isatty } from 'node:tty';
import { runCli } from './run-cli.ts';

/** Which of stdin, stdout and stderr are a terminal. */
const terminals = [0, 1, 2].filter((fd) => isatty(fd));
const interrupted = new AbortController();
let came: NodeJS.Signals | undefined;
const interrupt = (signal: NodeJS.Signals): void => {
  came = signal;
  interrupted.abort();
};
process.once('SIGINT', interrupt);
process.once('SIGTERM', interrupt);
// `perpetua log | head`: who reads has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  unlessClosed(process.stdout, error);
});
process.stderr.on('error', (error: NodeJS.ErrnoException) => unlessClosed(process.stderr, error));

/** On a terminal that was closed nobody reads; what was begun still ends in order. */
function unlessClosed({ isTTY }: { isTTY?: boolean }, error: NodeJS.ErrnoException): void {
  if (!isTTY || error.code !== 'EIO') throw error;
}

/** From here on the process ends by these; one that came before would be forgotten. */
const endBy = (...signals: NodeJS.Signals[]): void => {
  for (const signal of signals) process.off(signal, interrupt);
  if (came && signals.includes(came)) process.kill(process.pid, came);
};

async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await asking.question(question, { signal: interrupted.signal });
  } finally {
    asking.close();
  }
}

const code = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  signal: interrupted.signal,
  exitOnInterrupt: () => endBy('SIGINT', 'SIGTERM'),
  exitOnTerm: () => endBy('SIGTERM'),
  ...(terminals.includes(0) ? { ask } : {}),
});
if (code !== 0) process.exitCode = code;
// Node aborts where it cannot set a terminal back that was closed.
if (terminals.some((fd) => !isatty(fd))) process.kill(process.pid, 'SIGHUP');
// A socket that does not close must not keep the shell waiting.
setTimeout(() => process.exit(), 3000).unref();
