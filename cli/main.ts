#!/usr/bin/env node
import { runCli } from './run-cli.ts';

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
  throw error;
});

/** From here on the process ends by these; one that came before would be forgotten. */
const endBy = (...signals: NodeJS.Signals[]): void => {
  for (const signal of signals) process.off(signal, interrupt);
  if (came && signals.includes(came)) process.kill(process.pid, came);
};

const code = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  signal: interrupted.signal,
  endAtOnce: () => endBy('SIGINT', 'SIGTERM'),
  leaveOnTerm: () => endBy('SIGTERM'),
});
if (code !== 0) process.exitCode = code;
// A socket that does not close must not keep the shell waiting.
setTimeout(() => process.exit(), 3000).unref();
