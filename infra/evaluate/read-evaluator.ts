import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { Tail } from './tail.ts';

/** Time after the end in which output of remaining processes is still read. */
const STRAGGLER_MS = 500;
const RESULT_BYTES = 1024 * 1024;
const LOG_CHARS = 16 * 1024;

/** Exit of the evaluator's process. */
export interface EvaluatorExit {
  code: number | null;
  signal: string | null;
  /** Limit of its sandbox that ended it, in words; null: none did. */
  excess: string | null;
}

/** Text that an evaluator wrote to the result's descriptor, at most 1 MiB of it. */
export interface WrittenResult {
  text: string;
  /** True if it wrote more. */
  isCut: boolean;
}

/** A running evaluator with all processes that it starts. */
export interface EvaluatorProcess {
  stdin: Writable;
  stdout: Readable;
  log: Tail;
  /** Resolves when all processes are gone and their output has been read. */
  ended: Promise<EvaluatorExit>;
  /** Returns the result so far. */
  result(): WrittenResult;
  /** Sends TERM to the processes and, after the grace, KILL. */
  stop(): void;
}

interface Control {
  /** Descriptors of the child: the result, and the pipe whose end stops it. */
  descriptors: { result: number; lifeline: number };
  /** Exit of the evaluator, from that of the child. */
  exitOf: (code: number | null, signal: string | null) => Promise<EvaluatorExit>;
  onExit?: () => void;
  stop: () => void;
}

/** Reads the output and the result of a child that is, or runs, an evaluator. */
export function readEvaluator(child: ChildProcess, control: Control): EvaluatorProcess {
  // Without free descriptors, the child has no pipes and the code below throws; this prevents an unhandled error event.
  child.on('error', () => undefined);
  const [stdin, stdout, stderr] = [child.stdin as Writable, child.stdout as Readable, child.stderr as Readable];
  const result = child.stdio[control.descriptors.result] as Readable;
  const lifeline = child.stdio[control.descriptors.lifeline] as Writable;
  for (const stream of [stdin, lifeline]) stream.on('error', () => undefined);
  const log = new Tail(LOG_CHARS);
  stderr.setEncoding('utf8').on('data', (text: string) => log.add(text));
  const parts: Buffer[] = [];
  let size = 0;
  result.on('data', (part: Buffer) => {
    if (size <= RESULT_BYTES) parts.push(part);
    size += part.length;
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ended = new Promise<EvaluatorExit>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      control.onExit?.();
      stdin.destroy();
      lifeline.destroy();
      // A process that left the group may hold a pipe open, so the wait has a limit.
      const timer = setTimeout(() => child.stdio.forEach((stream) => stream?.destroy()), STRAGGLER_MS);
      void closed.then(() => {
        clearTimeout(timer);
        control.exitOf(code, signal).then(resolve, reject);
      });
    });
  });
  // Prevents an unhandled rejection if the caller fails before it awaits the end.
  ended.catch(() => undefined);
  return {
    stdin,
    stdout,
    log,
    ended,
    result: () => ({
      text: Buffer.concat(parts).subarray(0, RESULT_BYTES).toString('utf8'),
      isCut: size > RESULT_BYTES,
    }),
    stop: control.stop,
  };
}
