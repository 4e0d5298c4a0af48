import { foldersOf } from '../text/folders-of.ts';

/** Error messages of programs and shells about a missing file. */
const MISSING = new RegExp(
  [
    /no such file|not found|cannot (?:find|open|access)|can't (?:find|open|access|cd)/,
    /does(?: not|n't) exist|ENOENT|no rule to make/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);
const MODULE = /\bNo module named ['"]?([\w.]+)/;
/** Text before a named path: a separator, or the stage's `files` folder in an absolute path. */
const BEFORE = String.raw`(?:^|[\s'"\u2018\u2019(=:,;<>]|(?<!\.)\./|/files/)`;
const AFTER = String.raw`(?![\w-]|[./]\w)`;
const MOST_NAMED = 3;

/** Advice about a failed setup that needs mutable files, which a setup cannot see; null if the setup names none. */
export function unseenBySetup(
  { message, log }: { message: string; log: string },
  mutablePaths: readonly string[],
): string | null {
  const lines = log.split('\n').map((line) => line.slice(0, 500));
  const missing = lines.filter((line) => MISSING.test(line)).join('\n');
  const modules = lines.flatMap((line) => MODULE.exec(line)?.[1] ?? []);
  return adviceAbout(
    mutablePaths.filter(
      (path) =>
        isNamedIn(message, path) ||
        // A folder whose files are all mutable is missing, too.
        [path, ...foldersOf(path)].some((candidate) => isNamedIn(missing, candidate)) ||
        modules.some((module) => isModule(path, module)),
    ),
  );
}

/** Advice about setup commands, before they run, that name mutable files; null if none does. */
export const unseenByCommands = (commands: readonly string[], mutablePaths: readonly string[]): string | null =>
  adviceAbout(mutablePaths.filter((path) => commands.some((command) => isNamedIn(command, path))));

function adviceAbout(paths: readonly string[]): string | null {
  if (paths.length === 0) return null;
  const more = paths.length - MOST_NAMED;
  const named = paths.slice(0, MOST_NAMED);
  if (more > 0) named.push(`${more} more`);
  const list = [named.slice(0, -1).join(', '), ...named.slice(-1)].filter(Boolean).join(' and ');
  const them = paths.length === 1 ? 'it' : 'them';
  return (
    `Setup cannot read ${list}, since candidates change ${them}. ` +
    `In task.yaml, list ${them} under immutable, or do not use ${them} in setup.`
  );
}

const isNamedIn = (text: string, path: string): boolean =>
  new RegExp(`${BEFORE}${path.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}${AFTER}`, 'm').test(text);

/** True if a file is the Python module of that name, imported from its folder or from a folder above. */
function isModule(path: string, module: string): boolean {
  const name = path.replace(/(?:\/__init__)?\.py$/, '').replaceAll('/', '.');
  return name !== path && `.${name}.`.includes(`.${module}.`);
}
