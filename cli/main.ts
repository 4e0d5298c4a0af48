#!/usr/bin/env node
import { isatty } from 'node:tty';
import { keepLocalDirect } from '../config/keep-local-direct.ts';
import { leaveDeletedFolder } from '../config/leave-deleted-folder.ts';
import { EXIT } from './errors.ts';
import { runCli } from './run-cli.ts';

keepLocalDirect();
const problem = leaveDeletedFolder();

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
let onClosedOutput = (): void => process.exit(0);
let hasReported = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return onClosedOutput();
  // A closed terminal. The command still ends in order.
  if (process.stdout.isTTY && error.code === 'EIO') return;
  // The disk may be full. The command goes on with its work: `up` keeps its stack.
  process.exitCode = EXIT.failed;
  if (!hasReported) process.stderr.write(`Expected to write the output; it failed: ${error.message}.\n`);
  hasReported = true;
});
// Nothing is left to report to.
process.stderr.on('error', () => undefined);

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

if (problem !== null) {
  process.stderr.write(`${problem}\n`);
  process.exit(EXIT.refused);
}
const code = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  signal: interrupted.signal,
  exitOnInterrupt: () => endBy('SIGINT', 'SIGTERM'),
  exitOnTerm: () => endBy('SIGTERM'),
  interruptOnClosedOutput: () => (onClosedOutput = () => interrupted.abort()),
  ...(terminals.includes(0) ? { ask } : {}),
});
if (code !== 0) process.exitCode = code;
// Ends the process before Node resets the terminal: if the terminal was closed, Node would abort.
if (terminals.some((fd) => !isatty(fd))) process.kill(process.pid, 'SIGHUP');
// A socket that stays open must not delay the end of the command.
setTimeout(() => process.exit(), 3000).unref();
