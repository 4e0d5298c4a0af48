import { sanitize } from '../../domain/text/sanitize.ts';

const [BOLD, RED, GREEN, CYAN] = [1, 31, 32, 36];

/** The diff as lines, in colours if a terminal shows them. Control characters of the files are removed. */
export const paintDiff = (diff: string, options: { colours: boolean }): string[] =>
  sanitize(diff)
    .trimEnd()
    .split('\n')
    .map((line) => {
      const code = options.colours ? colourOf(line) : null;
      return code === null ? line : `\x1b[${code}m${line}\x1b[0m`;
    });

function colourOf(line: string): number | null {
  if (line.startsWith('+++') || line.startsWith('---')) return BOLD;
  if (line.startsWith('@@')) return CYAN;
  if (line.startsWith('+')) return GREEN;
  return line.startsWith('-') ? RED : null;
}
