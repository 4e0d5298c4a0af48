/** A program of a shell line that is named by the path of its file, such as `.venv/bin/python`. */
export interface NamedProgram {
  /** The word as it stands in the line, with its quotes. */
  word: string;
  /** Path without quotes, and with these variables replaced. */
  path: string;
}

const WORD = /(["'])((?:(?!\1).)*\/bin\/[\w.+-]+)\1|(?:[^\s;|&()<>"'`=\\]|\\.)*\/bin\/[\w.+-]+/g;

/** Programs of `bin` folders that a shell line names by their path. `variables`: values for `~` and `$NAME`. */
export const namedPrograms = (
  command: string,
  variables: Readonly<Record<string, string | undefined>>,
): NamedProgram[] =>
  [...command.matchAll(WORD)].flatMap(([word, , quoted]) => {
    const text = quoted ?? word.replace(/\\(.)/g, '$1');
    const path = text
      .replace(/^~(?=\/)/, variables.HOME ?? '~')
      .replace(
        /\$(?:\{(\w+)\}|(\w+))/g,
        (whole, braced?: string, plain?: string) => variables[braced ?? plain ?? ''] ?? whole,
      );
    return path.includes('$') ? [] : [{ word, path }];
  });

const ACTIVATE = /(?:^|(?<=[;&|\n]))\s*(?:source|\.)\s+((["']?)(\S+?)\/bin\/activate\2)\s*(?:&&|;|\n)\s*/;

/** Removes the activation of an environment from a shell line; null if there is none. */
export function withoutActivation(command: string): { command: string; activated: string } | null {
  const found = ACTIVATE.exec(command);
  if (found === null) return null;
  return { command: command.replace(found[0], ' ').trim(), activated: `${(found[3] ?? '').replace(/^["']/, '')}/bin` };
}
