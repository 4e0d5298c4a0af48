import { createTwoFilesPatch } from 'diff';
import type { Style } from './text/style.ts';
import { clean } from '../../domain/text/clean.ts';

/** A unified diff over all files that differ, with a/ and b/ names that `patch -p1` and `git apply` take. */
export function unifiedDiff(before: Record<string, Buffer>, after: Record<string, Buffer>): string {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return paths.map((path) => fileDiff(path, before[path], after[path])).join('');
}

function fileDiff(path: string, before: Buffer | undefined, after: Buffer | undefined): string {
  if (before && after && before.equals(after)) return '';
  const from = before ? `a/${path}` : '/dev/null';
  const to = after ? `b/${path}` : '/dev/null';
  if (isBinary(before) || isBinary(after)) return `Binary files ${from} and ${to} differ\n`;
  const patch = createTwoFilesPatch(from, to, before?.toString('utf8') ?? '', after?.toString('utf8') ?? '');
  return patch
    .replace(/^=+\n/, '')
    .replace(/^(--- [^\t\n]*)\t?$/m, '$1')
    .replace(/^(\+\+\+ [^\t\n]*)\t?$/m, '$1');
}

const isBinary = (content: Buffer | undefined): boolean => content?.subarray(0, 8000).includes(0) === true;

/** The diff as lines with colours; control characters of the files never reach the terminal. */
export const paintDiff = (diff: string, style: Style): string[] =>
  clean(diff)
    .trimEnd()
    .split('\n')
    .map((line) => {
      if (line.startsWith('+++') || line.startsWith('---')) return style.bold(line);
      if (line.startsWith('@@')) return style.cyan(line);
      if (line.startsWith('+')) return style.green(line);
      return line.startsWith('-') ? style.red(line) : line;
    });
