import { closeSync, copyFileSync, existsSync, openSync, readSync, renameSync, statSync, truncateSync } from 'node:fs';

const LIMIT_BYTES = 10 * 2 ** 20;
/** Number of old logs that are kept. */
const KEPT = 3;

/** Renames a log that exceeds the limit (`.1` is the newest of three). Call this before opening the log. */
export function rotateLog(path: string, limitBytes: number = LIMIT_BYTES): void {
  if (sizeOf(path) < limitBytes) return;
  shift(path);
  renameSync(path, `${path}.1`);
}

/** Copies and truncates a log that exceeds the limit and that a living process appends to through its descriptor. */
export function rotateLiveLog(path: string, limitBytes: number = LIMIT_BYTES): void {
  if (sizeOf(path) < limitBytes) return;
  shift(path);
  copyFileSync(path, `${path}.1`);
  truncateSync(path);
}

/** The last lines of a log, at most 4 KiB, for error messages. */
export function logTail(path: string, lines = 15): string {
  const size = sizeOf(path);
  if (size === 0) return '(the log is empty)';
  const length = Math.min(size, 4096);
  const buffer = Buffer.alloc(length);
  const file = openSync(path, 'r');
  try {
    readSync(file, buffer, 0, length, size - length);
  } finally {
    closeSync(file);
  }
  return buffer.toString('utf8').trimEnd().split('\n').slice(-lines).join('\n');
}

function shift(path: string): void {
  for (let n = KEPT - 1; n >= 1; n--) if (existsSync(`${path}.${n}`)) renameSync(`${path}.${n}`, `${path}.${n + 1}`);
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
