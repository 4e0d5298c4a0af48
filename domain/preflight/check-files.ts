import type { Preflight } from '../schema/preflight.ts';
import type { Failure } from '../trial.ts';

const encoder = new TextEncoder();

/** Checks the size and the names of a candidate's mutable files, by path; null if they pass. */
export function checkFiles(
  files: Readonly<Record<string, string>>,
  { maxBytes, forbidden }: Pick<Preflight, 'maxBytes' | 'forbidden'>,
): Failure | null {
  const bytes = Object.values(files).reduce((sum, text) => sum + encoder.encode(text).length, 0);
  if (maxBytes !== undefined && bytes > maxBytes)
    return {
      label: 'size-blocked',
      message: `expected at most ${maxBytes} bytes in the mutable files together (preflight.maxBytes), got ${bytes}`,
    };
  for (const [path, text] of Object.entries(files))
    for (const name of forbidden) {
      const line = lineOf(text, name);
      if (line !== null)
        return {
          label: 'forbidden-name',
          message: `expected no ${JSON.stringify(name)} (preflight.forbidden), found it in ${path}, line ${line}`,
        };
    }
  return null;
}

/** Number of the first line that contains `name` as a whole word; null if none does. */
function lineOf(text: string, name: string): number | null {
  const index = text.split('\n').findIndex((line) => containsWord(line, name));
  return index < 0 ? null : index + 1;
}

function containsWord(line: string, name: string): boolean {
  for (let at = line.indexOf(name); at >= 0; at = line.indexOf(name, at + 1))
    if (!isWord(line[at - 1], name[0]) && !isWord(line[at + name.length], name.at(-1))) return true;
  return false;
}

const WORD = /[\p{L}\p{N}_$]/u;

/** True if a character beside an end of the name makes it part of a longer word. */
const isWord = (beside: string | undefined, end: string | undefined): boolean =>
  beside !== undefined && end !== undefined && WORD.test(beside) && WORD.test(end);
