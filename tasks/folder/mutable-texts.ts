import { MOST_MUTABLE_BYTES } from '../../domain/edit/mutable-size.ts';
import type { Problem } from '../../domain/issue/problem.ts';
import { decodeText } from '../decode-text.ts';
import type { TaskFile } from './read-folder.ts';

/** Decodes the mutable files, path to text. Problems: files that are too large or no text. */
export function mutableTexts(
  files: readonly TaskFile[],
  paths: readonly string[],
): { texts: Record<string, string>; problems: Problem[] } {
  const chosen = files.filter(({ path }) => paths.includes(path));
  const bytes = chosen.reduce((sum, { content }) => sum + content.length, 0);
  const path = ['mutable'];
  if (bytes > MOST_MUTABLE_BYTES)
    return {
      texts: {},
      problems: [
        {
          path,
          expected: 'at most 1 MiB of mutable files',
          got: `${chosen.length} files with ${(bytes / MOST_MUTABLE_BYTES).toFixed(1)} MiB`,
          todo: 'narrow the globs',
        },
      ],
    };
  const decoded = chosen.map((file) => ({ path: file.path, text: decodeText(file.content) }));
  const texts = decoded.flatMap(({ path: name, text }) => (text === null || text.includes('\0') ? [] : [[name, text]]));
  const problems = decoded
    .filter(({ text }) => text === null || text.includes('\0'))
    .map((file) => ({
      path,
      expected: 'text files in UTF-8',
      got: `${file.path}, which is ${file.text === null ? 'not UTF-8' : 'binary (it holds NUL bytes)'}`,
      todo: 'save it as UTF-8 or narrow the globs',
    }));
  return { texts: Object.fromEntries(texts) as Record<string, string>, problems };
}
