import type { Io } from '../io.ts';

/**
 * Wraps the output streams so that each note on stderr begins a line, also after output without a line end. `endLine`
 * ends such a line.
 */
export function separateNotes(io: Io): { io: Io; endLine: () => void } {
  let isInLine = false;
  const endLine = (): void => {
    if (isInLine) io.stderr.write('\n');
    isInLine = false;
  };
  const stdout = {
    write: (text: string): void => {
      if (text === '') return;
      isInLine = !text.endsWith('\n');
      io.stdout.write(text);
    },
  };
  const stderr = {
    write: (text: string): void => {
      endLine();
      io.stderr.write(text);
    },
  };
  return { io: { ...io, stdout, stderr }, endLine };
}
