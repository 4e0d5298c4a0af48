import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { dirname } from 'node:path';
import { UNBUFFERED } from '../compute/run-protocol/environment.ts';
import { SYSTEM_PATH } from '../system-path.ts';
import { Tail } from './tail.ts';

/** Time from TERM to KILL. */
const GRACE_MS = 2000;
/** Time after the end in which output of remaining processes is still read. */
const STRAGGLER_MS = 500;
const RESULT_BYTES = 1024 * 1024;
const LOG_CHARS = 16 * 1024;

/** Exit of the evaluator's process. */
export interface EvaluatorExit {
  code: number | null;
  signal: string | null;
}

/** A running evaluator, in a process group of its own. */
export interface EvaluatorProcess {
  stdin: Writable;
  stdout: Readable;
  log: Tail;
  /** Resolves when the whole group is gone and its output has been read. */
  ended: Promise<EvaluatorExit>;
  /** Returns the text written to descriptor 3, at most 1 MiB and one byte. */
  result(): string;
  /** Sends TERM to the group and, after the grace, KILL. */
  stop(): void;
}

// Kills the group when the worker dies: the worker's end of descriptor 4 then closes, whatever the cause.
const LIFELINE = '{ read -r _ <&4; kill -KILL 0; } </dev/null >/dev/null 2>&1 3>&- &\nexec 4<&-\n';

/** Starts the command in its directory, without the worker's environment. */
export function startEvaluator(options: {
  command: string;
  directory: string;
  path?: readonly string[] | undefined;
  seed?: number | undefined;
  secret?: string | undefined;
  /** Variables that restrict the visible GPUs of this machine. */
  gpus?: Record<string, string> | undefined;
}): EvaluatorProcess {
  const child = spawn('/bin/sh', ['-c', `${LIFELINE}${options.command}`], {
    cwd: options.directory,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    env: {
      ...evaluatorEnvironment(options.directory, options.path),
      ...options.gpus,
      ...(options.seed === undefined ? {} : { PERPETUA_SEED: String(options.seed) }),
      PERPETUA_RESULT_FD: '3',
      ...(options.secret === undefined ? {} : { PERPETUA_TASK_SECRET: options.secret }),
    },
  });
  // Without free descriptors, the child has no pipes and the code below throws; this prevents an unhandled error event.
  child.on('error', () => undefined);
  const { stdin, stdout, stderr } = child;
  const [result, lifeline] = [child.stdio[3] as Readable, child.stdio[4] as Writable];
  for (const stream of [stdin, lifeline]) stream.on('error', () => undefined);
  const log = new Tail(LOG_CHARS);
  stderr.setEncoding('utf8').on('data', (text: string) => log.add(text));
  const parts: Buffer[] = [];
  let size = 0;
  result.on('data', (part: Buffer) => {
    if (size <= RESULT_BYTES) parts.push(part);
    size += part.length;
  });

  const signalGroup = (signal: NodeJS.Signals): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ended = new Promise<EvaluatorExit>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      signalGroup('SIGKILL');
      stdin.destroy();
      lifeline.destroy();
      // A process that left the group may hold a pipe open, so the wait has a limit.
      const timer = setTimeout(() => child.stdio.forEach((stream) => stream?.destroy()), STRAGGLER_MS);
      void closed.then(() => {
        clearTimeout(timer);
        resolve({ code, signal });
      });
    });
  });
  return {
    stdin,
    stdout,
    log,
    ended,
    result: () =>
      Buffer.concat(parts)
        .subarray(0, RESULT_BYTES + 1)
        .toString('utf8'),
    stop: () => {
      signalGroup('SIGTERM');
      setTimeout(() => {
        if (child.exitCode === null && child.signalCode === null) signalGroup('SIGKILL');
      }, GRACE_MS).unref();
    },
  };
}

/** Environment of the evaluator, with nothing of the worker's environment. */
const evaluatorEnvironment = (directory: string, path: readonly string[] = []) => ({
  PATH: [...path, dirname(process.execPath), SYSTEM_PATH].join(':'),
  HOME: directory,
  LANG: 'C.UTF-8',
  ...UNBUFFERED,
});
