#!/usr/bin/env node
import { isatty } from 'node:tty';
import { keepLocalDirect } from '../config/keep-local-direct.ts';
import { runCli } from './run-cli.ts';

keepLocalDirect();

/** Descriptors of stdin, stdout and stderr that are a terminal. */
const terminals = [0, 1, 2].filter((fd) => isatty(fd));
const interrupted = new AbortController();
let received: NodeJS.Signals | undefined;
const interrupt = (signal: NodeJS.Signals): void => {
  received = signal;
  interrupted.abort();
};
process.once('SIGINT', interrupt);
process.once('SIGTERM', interrupt);
// `perpetua log | head`: the reader has closed the pipe, since it needs no more lines.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  unlessClosed(process.stdout, error);
});
process.stderr.on('error', (error: NodeJS.ErrnoException) => unlessClosed(process.stderr, error));

/** Ignores a write error of a closed terminal, so that the command still ends in order. Throws any other error. */
function unlessClosed({ isTTY }: { isTTY?: boolean }, error: NodeJS.ErrnoException): void {
  if (!isTTY || error.code !== 'EIO') throw error;
}

/** Makes signals end the process. Sends a signal that was received before again, since its handler did not end it. */
const endBy = (...signals: NodeJS.Signals[]): void => {
  for (const signal of signals) process.off(signal, interrupt);
  if (received && signals.includes(received)) process.kill(process.pid, received);
};

async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await prompt.question(question, { signal: interrupted.signal });
  } finally {
    prompt.close();
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
// Ends the process before Node resets the terminal: if the terminal was closed, Node would abort.
if (terminals.some((fd) => !isatty(fd))) process.kill(process.pid, 'SIGHUP');
// A socket that stays open must not delay the end of the command.
setTimeout(() => process.exit(), 3000).unref();
