import type { Style } from './text/style.ts';
import { clean } from '../../domain/text/clean.ts';

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
