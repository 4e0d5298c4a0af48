import type { Fence } from '../answer/fences.ts';
import { DIFF_INFO, isOwnDiff } from '../diff/is-diff.ts';
import { saysPart } from './part-of-file.ts';

const INSTEAD = 'give the whole file as it is to be, or SEARCH/REPLACE blocks for its parts';

interface Block {
  fence: Fence;
  path: string;
  /** Line above the block. */
  heading: string;
  /** Current text of the file. */
  old: string;
}

const NUMBER = /^\s*L?(\d{1,6})(?:\s*[|│→:.)]|\s|$)/;

/** `[-old-]{+new+}`. */
const WORD_DIFF = /\[-[^\]]{1,200}-\]\{\+[^}]{0,200}\+\}/;

/**
 * Mark in the lines of a block that shows that the block is no file: `a number`, `+` and the like before each line, or
 * the prompt of a session before the first. Null without such a mark, or if the old file has the same mark.
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

/** True if lines begin with successive numbers. The number of a single line needs a bar or a tab behind it. */
function areNumbered(full: readonly string[]): boolean {
  const numbers = full.map((line) => Number(NUMBER.exec(line)?.[1] ?? NaN));
  if (full.length === 1) return /^\s*L?\d{1,6}(?:\s*[|│→]|\t)/.test(full[0] ?? '');
  return numbers.every((number, at) => (at === 0 ? !Number.isNaN(number) : number === (numbers[at - 1] ?? NaN) + 1));
}

/** Reason why a block under a path is clearly not the whole file, or null. */
export function whyNotWholeFile(content: readonly string[], { fence, path, heading, old }: Block): string | null {
  const { info } = fence;
  const remark = partRemark({ info, heading, path });
  if (remark !== null) return `is said to be a part of it (${JSON.stringify(remark.trim().slice(0, 200))}); ${INSTEAD}`;
  if (DIFF_INFO.test(info) && !isOwnDiff(path, old))
    return `is marked as ${info}, and none of its lines begins with + or -; ${INSTEAD}, or a unified diff`;
  if (isExample(fence, path) && !sharesLine(content, old))
    return (
      `is marked as ${info}, which that file is not; ` +
      'mark the whole file with its own language, and leave examples out'
    );
  const mark = CODE.test(path) ? markOfLines(content, old) : null;
  return mark === null ? null : `has ${mark} in its lines, which no file of its kind has; ${INSTEAD}`;
}

/** The heading or the info string, whichever says that the block is a part of the file; or null. */
function partRemark({ info, heading, path }: { info: string; heading: string; path: string }): string | null {
  if (saysPart(heading, path)) return heading;
  return infoSaysPart(info, path) ? info : null;
}

/** True if an info string says that the block is a part. Some editors put the lines first: `4:6:main.py`. */
const infoSaysPart = (info: string, path: string): boolean =>
  /^\d{1,6}:\d{1,6}:/.test(info) ||
  (info.includes(path) ? saysPart(info, path) : saysPart(info.replace(/^\S+/, ''), null));

const PROGRAM = /\.(?:pyi?|[cm]?[jt]sx?|c|h|cc|cpp|hpp|cuh?|rs|go|java|kt|rb|jl|lua|r|sql)$/i;
const CODE = new RegExp(`${PROGRAM.source}|\\.(?:ipynb|ya?ml|json|toml|ini|cfg|html|css)$`, 'i');

/** True if a block shows a run of a program, its output or its data, instead of the file of that name. */
const isExample = ({ info }: Fence, path: string): boolean =>
  (/^(?:bash|sh|zsh|shell|console|terminal|(?:shell|sh)-?session|text|txt|output|stdout)$/i.test(info) &&
    CODE.test(path)) ||
  (/^(?:json[c5l]?|ya?ml|toml|ini|csv|tsv|xml)(?=$|[\s:{])/i.test(info) && PROGRAM.test(path));

function sharesLine(lines: readonly string[], old: string): boolean {
  const oldLines = new Set(old.split(/\r\n|\n|\r/));
  return lines.some((line) => /[\p{L}\p{N}]/u.test(line) && oldLines.has(line));
}
