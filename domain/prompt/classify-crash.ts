import { truncateMiddle, stripControls } from './strip-controls.ts';

/** What a run died of, as far as its log tells. `other` is named by its last line. */
export type CrashClass =
  'out-of-memory' | 'syntax-error' | 'assertion' | 'missing-module' | 'not-a-number' | 'killed' | 'other' | 'silent';

export interface Crash {
  kind: CrashClass;
  /** The line of the log that says so, at most 120 characters, its beginning and its end; empty where the log is. */
  line: string;
}

const LONGEST = 120;
/** Lines from the end that are looked at: what killed a run stands there. */
const MOST_LINES = 200;

const anyOf = (patterns: readonly RegExp[]): RegExp => new RegExp(patterns.map(({ source }) => source).join('|'), 'i');

// Also by what stands behind the word: the beginning of a message may be cut.
const OUT_OF_MEMORY = [
  /\bOOM\b|(?:\b|_)out[ _-]of(?:[ _-](?:device|host))?[ _-]memory\b|OutOfMemory(?:Error)?\b|(?:\b|_Array)MemoryError\b/,
  /\b(?:can(?:not|'t)|could not|unable to|failed to) allocate (?:memory|\d)|\bnot enough memory\b|\bstd::bad_alloc\b|\bENOMEM\b/,
  /\bheap limit\b|\bJava heap space\b|\barray buffer allocation failed\b|\bmemory allocation of \d+ bytes failed\b/,
  /\bcudaErrorMemoryAllocation\b|_STATUS_ALLOC_FAILED\b|\bXLA_PYTHON_CLIENT_(?:MEM_FRACTION|PREALLOCATE)\b/,
  // PyTorch's, from its beginning to its end; a setting that a program prints, or a warning of its old name, is none.
  /\bTried to allocate \d|\bhas a total capacity of\b|\b(?:reserved|allocated)(?: in total)? by PyTorch\b|\breserved but unallocated memory\b/,
  /\bPYTORCH_(?:\w+_)?ALLOC_CONF\b(?!["']?\s*[=:]|.*\b(?:deprecated|instead)\b)|\btry setting \w*ALLOC_CONF\b|\bto avoid fragmentation\b/,
  /\bnotes\/cuda\.html#environment-variables\b/,
];

// Each within word bounds: a "room" or a "broom" is no OOM, a "nanometre" no NaN.
const CLASSES: [Exclude<CrashClass, 'other' | 'silent'>, RegExp][] = [
  ['out-of-memory', anyOf(OUT_OF_MEMORY)],
  ['syntax-error', /\bSyntaxError\b|\bIndentationError\b|\bTabError\b|\bsyntax error\b|\bParseError\b/i],
  [
    'missing-module',
    /\bModuleNotFoundError\b|\bImportError\b|\bERR_MODULE_NOT_FOUND\b|\bMODULE_NOT_FOUND\b|\bCannot find (?:module|package)\b|\bNo module named\b|\bcommand not found\b/i,
  ],
  ['assertion', /\bAssertionError\b|\bassertion failed\b|\bassertion .{1,200} failed\b|\bERR_ASSERTION\b/i],
  ['not-a-number', /(?<![\w.])-?nan(?![\w.])|\bnot a number\b|\bnon-finite\b/i],
  ['killed', /^\s*killed\b|\bSIGKILL\b|\bsignal 9\b|\boom-kill/i],
];

/** Classifies the tail of a failed run's log: the most telling class wins, and in it the last line. */
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
  const last = saidBeforeNode(lines) ?? lines.at(-1);
  return last === undefined ? { kind: 'silent', line: '' } : { kind: 'other', line: truncateMiddle(last, LONGEST) };
}

/** Node ends what it says of an error that nothing caught with its own version; the error's line stands above, before its stack. */
function saidBeforeNode(lines: readonly string[]): string | undefined {
  if (!/^Node\.js v\d/.test(lines.at(-1) ?? '')) return undefined;
  return lines.slice(0, -1).findLast((line) => /^(?:Uncaught )?\w*(?:Error|Exception)\b/.test(line));
}
