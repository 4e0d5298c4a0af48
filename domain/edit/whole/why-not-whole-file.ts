import type { Fence } from '../answer/fences.ts';
import { DIFF_INFO, isOwnDiff } from '../diff/is-diff.ts';
import { saysPart } from './part-of-file.ts';

const INSTEAD = 'give the whole file as it is to be, or SEARCH/REPLACE blocks for its parts';

interface Block {
  fence: Fence;
  path: string;
  /** The line above it. */
  heading: string;
  /** The file as it is. */
  old: string;
}

const NUMBER = /^\s*L?(\d{1,6})(?:\s*[|│→:.)]|\s|$)/;

/** `[-old-]{+new+}`. */
const WORD_DIFF = /\[-[^\]]{1,200}-\]\{\+[^}]{0,200}\+\}/;

/**
 * How the lines of a block are marked so that it is no file as it stands: `a number`, `+` and the like before each of them, or the
 * prompt of a shell before the first; null where they are not, or where the old file has such lines, too.
 */
function markOfLines(lines: readonly string[], old: string): string | null {
  const mark = markIn(lines);
  return mark === null || markIn(old.split(/\r\n|\n|\r/)) === mark ? null : mark;
}

function markIn(lines: readonly string[]): string | null {
  const full = lines.filter((line) => line.trim() !== '');
  const [first] = full;
  if (first === undefined) return null;
  const prompt = /^(?:>>>(?=\s|$)|In \[\d*\]:)/.exec(first)?.[0];
  if (prompt !== undefined) return prompt;
  if (full.some((line) => WORD_DIFF.test(line))) return 'marks of a diff of words';
  const sign = /^(?:[+>|]|\$(?= ))/.exec(first)?.[0];
  if (sign !== undefined && full.every((line) => line.startsWith(sign))) return sign;
  return areNumbered(full) ? 'a number' : null;
}

/** Whether each line begins with the number that follows the one before; a line alone needs a bar or a tab behind it. */
function areNumbered(full: readonly string[]): boolean {
  const numbers = full.map((line) => Number(NUMBER.exec(line)?.[1] ?? NaN));
  if (full.length === 1) return /^\s*L?\d{1,6}(?:\s*[|│→]|\t)/.test(full[0] ?? '');
  return numbers.every((number, at) => (at === 0 ? !Number.isNaN(number) : number === (numbers[at - 1] ?? NaN) + 1));
}

/** Why a block under a path is plainly not the whole file, or null. */
export function whyNotWholeFile(content: readonly string[], { fence, path, heading, old }: Block): string | null {
  const { info } = fence;
  const partly = saysPart(heading, path) ? heading : infoSaysPart(info, path) ? info : null;
  if (partly !== null) return `is said to be a part of it (${JSON.stringify(partly.trim().slice(0, 200))}); ${INSTEAD}`;
  if (DIFF_INFO.test(info) && !isOwnDiff(path, old))
    return `is marked as ${info}, and none of its lines begins with + or -; ${INSTEAD}, or a unified diff`;
  if (isExample(fence, path) && !sharesLine(content, old))
    return `is marked as ${info}, which that file is not; mark the whole file with its own language, and leave examples out`;
  const mark = CODE.test(path) ? markOfLines(content, old) : null;
  return mark === null ? null : `has ${mark} in its lines, which no file of its kind has; ${INSTEAD}`;
}

// Some editors name the lines first: `4:6:main.py`.
const infoSaysPart = (info: string, path: string): boolean =>
  /^\d{1,6}:\d{1,6}:/.test(info) ||
  (info.includes(path) ? saysPart(info, path) : saysPart(info.replace(/^\S+/, ''), null));

const PROGRAM = /\.(?:pyi?|[cm]?[jt]sx?|c|h|cc|cpp|hpp|cuh?|rs|go|java|kt|rb|jl|lua|r|sql)$/i;
const CODE = new RegExp(`${PROGRAM.source}|\\.(?:ipynb|ya?ml|json|toml|ini|cfg|html|css)$`, 'i');

/** Whether a block shows a run of a program, what it says or reads, and no file of that name. */
const isExample = ({ info }: Fence, path: string): boolean =>
  (/^(?:bash|sh|zsh|shell|console|terminal|(?:shell|sh)-?session|text|txt|output|stdout)$/i.test(info) &&
    CODE.test(path)) ||
  (/^(?:json[c5l]?|ya?ml|toml|ini|csv|tsv|xml)(?=$|[\s:{])/i.test(info) && PROGRAM.test(path));

function sharesLine(lines: readonly string[], old: string): boolean {
  const there = new Set(old.split(/\r\n|\n|\r/));
  return lines.some((line) => /[\p{L}\p{N}]/u.test(line) && there.has(line));
}
