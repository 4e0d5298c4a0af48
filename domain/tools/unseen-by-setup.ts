import { foldersOf } from '../text/folders-of.ts';

/** Words of programs and shells for a file that is not there. */
const NOT_THERE =
  /no such file|not found|cannot (?:find|open|access)|can't (?:find|open|access|cd)|does(?: not|n't) exist|ENOENT|no rule to make/i;
const MODULE = /\bNo module named ['"]?([\w.]+)/;
/** What may stand before a path that is named: a separator, or the stage's folder of files in an absolute path. */
const BEFORE = String.raw`(?:^|[\s'"\u2018\u2019(=:,;<>]|(?<!\.)\./|/files/)`;
const AFTER = String.raw`(?![\w-]|[./]\w)`;
const MOST_NAMED = 3;

/** What to do about a failed setup that asked for mutable files, of which it sees none; null where it named none. */
export function unseenBySetup(
  { message, log }: { message: string; log: string },
  mutablePaths: readonly string[],
): string | null {
  const lines = log.split('\n').map((line) => line.slice(0, 500));
  const missing = lines.filter((line) => NOT_THERE.test(line)).join('\n');
  const modules = lines.flatMap((line) => MODULE.exec(line)?.[1] ?? []);
  return adviceAbout(
    mutablePaths.filter(
      (path) =>
        isNamedIn(message, path) ||
        // A folder of which all files are mutable is not there either.
        [path, ...foldersOf(path)].some((one) => isNamedIn(missing, one)) ||
        modules.some((module) => isModule(path, module)),
    ),
  );
}

/** What to do about commands of a setup, before they run, that name mutable files; null where none does. */
export const unseenByCommands = (commands: readonly string[], mutablePaths: readonly string[]): string | null =>
  adviceAbout(mutablePaths.filter((path) => commands.some((command) => isNamedIn(command, path))));

function adviceAbout(paths: readonly string[]): string | null {
  if (paths.length === 0) return null;
  const left = paths.length - MOST_NAMED;
  const named = [...paths.slice(0, MOST_NAMED), ...(left > 0 ? [`${left} more`] : [])];
  const list = [named.slice(0, -1).join(', '), ...named.slice(-1)].filter(Boolean).join(' and ');
  const them = paths.length === 1 ? 'it' : 'them';
  return `Setup does not see ${list}, since candidates change ${them}. In task.yaml, list ${them} under immutable, or let setup do without ${them}.`;
}

const isNamedIn = (text: string, path: string): boolean =>
  new RegExp(`${BEFORE}${path.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}${AFTER}`, 'm').test(text);

/** Whether a file is a module of Python by that name, from its own folder or from one above. */
function isModule(path: string, module: string): boolean {
  const name = path.replace(/(?:\/__init__)?\.py$/, '').replaceAll('/', '.');
  return name !== path && `.${name}.`.includes(`.${module}.`);
}
