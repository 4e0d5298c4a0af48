import { truncateMiddle, stripControls } from './strip-controls.ts';

/** Cause of a run's failure as its log shows it. `other`: the last line names it. `silent`: the log is empty. */
export type CrashClass =
  | 'out-of-memory'
  | 'syntax-error'
  | 'assertion'
  | 'missing-module'
  | 'path-too-long'
  | 'not-a-number'
  | 'killed'
  | 'other'
  | 'silent';

export interface Crash {
  kind: CrashClass;
  /** Line of the log that shows the cause, its middle cut out beyond 120 characters; empty if the log is empty. */
  line: string;
}

const LONGEST = 120;
/** Lines at the end of the log that are searched: the cause of a failure is printed last. */
const MOST_LINES = 200;

const anyOf = (patterns: readonly RegExp[]): RegExp => new RegExp(patterns.map(({ source }) => source).join('|'), 'i');

// Later parts of each message count as well: its beginning may be cut off.
const OUT_OF_MEMORY = [
  /\bOOM\b|(?:\b|_)out[ _-]of(?:[ _-](?:device|host))?[ _-]memory\b|OutOfMemory(?:Error)?\b|(?:\b|_Array)MemoryError\b/,
  /\b(?:can(?:not|'t)|could not|unable to|failed to) allocate (?:memory|\d)|\bnot enough memory\b/,
  /\bstd::bad_alloc\b|\bENOMEM\b/,
  /\bheap limit\b|\bJava heap space\b|\barray buffer allocation failed\b|\bmemory allocation of \d+ bytes failed\b/,
  /\bcudaErrorMemoryAllocation\b|_STATUS_ALLOC_FAILED\b|\bXLA_PYTHON_CLIENT_(?:MEM_FRACTION|PREALLOCATE)\b/,
  // Parts of PyTorch's message. A printed setting of ALLOC_CONF, or the warning about its old name, does not match.
  /\bTried to allocate \d|\bhas a total capacity of\b|\b(?:reserved|allocated)(?: in total)? by PyTorch\b/,
  /\breserved but unallocated memory\b/,
  /\bPYTORCH_(?:\w+_)?ALLOC_CONF\b(?!["']?\s*[=:]|.*\b(?:deprecated|instead)\b)|\btry setting \w*ALLOC_CONF\b/,
  /\bto avoid fragmentation\b/,
  /\bnotes\/cuda\.html#environment-variables\b/,
];

// Patterns match whole words: "room" is not OOM, and "nanometre" is not NaN.
const CLASSES: [Exclude<CrashClass, 'other' | 'silent'>, RegExp][] = [
  ['out-of-memory', anyOf(OUT_OF_MEMORY)],
  ['syntax-error', /\bSyntaxError\b|\bIndentationError\b|\bTabError\b|\bsyntax error\b|\bParseError\b/i],
  [
    'missing-module',
    anyOf([
      /\bModuleNotFoundError\b|\bImportError\b|\bERR_MODULE_NOT_FOUND\b|\bMODULE_NOT_FOUND\b/,
      /\bCannot find (?:module|package)\b|\bNo module named\b|\bcommand not found\b/,
    ]),
  ],
  // The process that names the path is often another one than the process that fails.
  ['path-too-long', /\b(?:path|name|sun_path|address)\b(?: \S+)?(?: (?:is|was))? too long\b|\bENAMETOOLONG\b/i],
  ['assertion', /\bAssertionError\b|\bassertion failed\b|\bassertion .{1,200} failed\b|\bERR_ASSERTION\b/i],
  ['not-a-number', /(?<![\w.])-?nan(?![\w.])|\bnot a number\b|\bnon-finite\b/i],
  ['killed', /^\s*killed\b|\bSIGKILL\b|\bsignal 9\b|\boom-kill/i],
];

/**
 * Classifies the tail of a failed run's log. The first matching class of `CLASSES` wins, and its last matching line.
 */
export function classifyCrash(logTail: string): Crash {
  const lines = stripControls(logTail)
    .split('\n')
    .map((line) => (line.length > 2000 ? `${line.slice(0, 1000)} ${line.slice(-1000)}` : line))
    .filter((line) => line.trim() !== '')
    .slice(-MOST_LINES);
  for (const [kind, pattern] of CLASSES) {
    const line = lines.findLast((text) => pattern.test(text));
    if (line !== undefined) return { kind, line: truncateMiddle(line, LONGEST) };
  }
  const last = uncaughtErrorLine(lines) ?? lines.at(-1);
  return last === undefined ? { kind: 'silent', line: '' } : { kind: 'other', line: truncateMiddle(last, LONGEST) };
}

/**
 * The error line of an uncaught error in Node. Node prints it above the stack, and ends the output with its version.
 */
function uncaughtErrorLine(lines: readonly string[]): string | undefined {
  if (!/^Node\.js v\d/.test(lines.at(-1) ?? '')) return undefined;
  return lines.slice(0, -1).findLast((line) => /^(?:Uncaught )?\w*(?:Error|Exception)\b/.test(line));
}
