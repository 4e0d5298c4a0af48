import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { CurvesError, readCurves, type Curves } from './read-curves.ts';

const EXPORT = '`npx perpetua export curves <research> > curves.jsonl`';
/** Descriptions of errors on reading a file of curves, by their code. */
const CAME: Record<string, string> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EISDIR: 'a folder',
  EACCES: 'one that may not be read',
  ERR_STRING_TOO_LONG: 'one that is too large to be read at once',
  ERR_FS_FILE_TOO_LARGE: 'one that is too large to be read at once',
};

/** The file name that means the standard input. */
const STDIN = '-';

/**
 * Reads the curves of a file; `-` is the standard input. Throws a CurvesError that names the file if it holds no
 * curves.
 */
export async function loadCurves(file: string, options: { track?: string } = {}): Promise<Curves> {
  const refuse = (got: string): never => {
    const at = file || '"" (an empty name)';
    throw new CurvesError(`Expected a file of curves at ${at}, got ${got}; ${EXPORT} writes one.`);
  };
  if (file === STDIN && process.stdin.isTTY) return refuse('a terminal');
  const text = await (file === STDIN ? readAll(process.stdin) : readFile(file, 'utf8')).catch(
    (error: NodeJS.ErrnoException) =>
      refuse(CAME[error instanceof RangeError ? 'ERR_STRING_TOO_LONG' : (error.code ?? '')] ?? error.message),
  );
  if (text.trim() === '') return refuse('an empty one');
  if (text.includes('\0')) return refuse('one that is not text');
  try {
    return readCurves(text, options);
  } catch (error) {
    if (error instanceof CurvesError)
      throw new CurvesError(
        `${file}, ${error.message}; export the file again: ${EXPORT}; ` +
          'format of a line: docs/concepts/early-abort.md',
      );
    throw error;
  }
}
