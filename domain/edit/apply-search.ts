import { findAll } from './find-all.ts';
import { nearestLine } from './nearest-line.ts';

type Replacement = { path: string; search: string; replace: string };

/**
 * The text with `search` replaced, which must occur exactly once: as whole lines, or else anywhere. In a file whose
 * line ends are all `\r\n` the edit's line feeds mean those.
 */
export function applySearch(text: string, edit: Replacement): string | { reason: string } {
  if (isCrlf(text)) {
    const result = replaceOnce(text.replaceAll('\r\n', '\n'), edit);
    return typeof result === 'string' ? result.replaceAll('\n', '\r\n') : result;
  }
  return replaceOnce(text, edit);
}

const isCrlf = (text: string): boolean => text.includes('\r\n') && !/(?<!\r)\n/.test(text);

function replaceOnce(text: string, { path, search, replace }: Replacement): string | { reason: string } {
  if (search.trim() === '')
    return text.trim() === ''
      ? `${replace}\n`
      : {
          reason: `the SEARCH text for ${path} is empty; expected lines of the file, or the whole file in a fenced block`,
        };
  // Whole lines first: `x = 1` is not found in `x = 10`.
  const { lines, parts } = findAll(text, search);
  if (lines.count === 1) {
    const around = `\n${text}\n`;
    const put = replace === '' ? '\n' : `\n${replace}\n`;
    return (around.slice(0, lines.first) + put + around.slice(lines.first + search.length + 2)).slice(1, -1);
  }
  if (lines.count > 1) return tooOften(path, lines.count);
  if (parts.count === 1) return text.slice(0, parts.first) + replace + text.slice(parts.first + search.length);
  if (parts.count > 1) return tooOften(path, parts.count);
  return { reason: `the SEARCH text for ${path} matches 0 times, expected once; ${nearestLine(text, search)}` };
}

const tooOften = (path: string, count: number): { reason: string } => ({
  reason: `the SEARCH text for ${path} matches ${count} times, expected once; add lines around it until it is unique`,
});
