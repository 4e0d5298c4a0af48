/** A file of a program, or one of its commands, that contains the path of the program's own folder. */
export interface Mention {
  /** Path of the file; null for a command. */
  path: string | null;
  folder: string;
}

/**
 * Finds the first text that names the folder of the program itself. Such a program may open its files there instead of
 * in a copy. `home`: the user's home folder, whose short forms count, too.
 */
export function findMention(
  texts: readonly { path: string | null; text: string }[],
  { roots, home }: { roots: readonly string[]; home: string | null },
): Mention | null {
  const forms = roots.flatMap((root) => {
    const isBelowHome = home !== null && home !== '/' && root.startsWith(`${home}/`);
    const short = isBelowHome ? ['~', '$HOME', '${HOME}'].map((name) => name + root.slice(home.length)) : [];
    return [root, ...short];
  });
  for (const { path, text } of texts) for (const folder of forms) if (isNamedIn(text, folder)) return { path, folder };
  return null;
}

/** Rest of the path of a program in an environment, which is no file of the copy. */
const PROGRAM = /^\/[^\s'"]*\bbin\//;

/** True if a text contains a path, and not only a longer name that begins with it. */
function isNamedIn(text: string, path: string): boolean {
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
    const rest = text.slice(at + path.length, at + path.length + 200);
    if (!/^[\w.-]/.test(rest) && !/[\w.~/-]/.test(text.charAt(at - 1)) && !PROGRAM.test(rest)) return true;
  }
  return false;
}
