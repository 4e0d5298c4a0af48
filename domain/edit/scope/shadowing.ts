import { foldersOf } from '../../text/folders-of.ts';

/** Files that programs load although no code names them, or that decide which files an import loads. */
const LOADED_UNNAMED = new Set([
  'package.json',
  'tsconfig.json',
  '.npmrc',
  'node_modules',
  'sitecustomize.py',
  'usercustomize.py',
  'conftest.py',
  'pytest.ini',
  'pyproject.toml',
  'gnumakefile',
]);

const lower = (path: string): string => path.normalize('NFC').toLowerCase();

/**
 * The reason why a new file could change which file immutable code loads; null if it could not. `immutable`: paths of
 * immutable files. `create`: the globs of `edits.create`.
 */
export function shadowingProblem(
  path: string,
  { immutable, create }: { immutable: readonly string[]; create: readonly string[] },
): string | null {
  const unnamed = path.split('/').find((part) => LOADED_UNNAMED.has(lower(part)));
  if (unnamed !== undefined && !create.some((glob) => glob.split('/').includes(unnamed)))
    return `programs load ${unnamed} although no code names it, and no glob of edits.create has this name`;
  const names = importNames(lower(path));
  const loads = foldersThatAreModules(lower(path));
  for (const other of immutable) {
    const isShadowed = importNames(lower(other)).some((name) => names.includes(name));
    if (isShadowed) return `an import of ${other}, which is immutable, may load it instead: give it another name`;
    const folder = foldersOf(other).find((each) => loads.includes(lower(each)));
    if (folder !== undefined)
      return `an import from ${folder}, which has the immutable file ${other}, may load it: give it another name`;
  }
  return null;
}

const withoutEnding = (path: string): string => path.replace(/(?<=[^/])\.[^./]*$/, '');

/** Names under which code imports a file: its path without the ending, and its folder for `__init__` and `index`. */
function importNames(path: string): string[] {
  const name = withoutEnding(path);
  const folder = name.replace(/\/(?:__init__|index)$/, '');
  return folder === name ? [name] : [name, folder];
}

/** Folders for which an import loads a file: `lib` for `lib.py`, `lib.js` and `lib/__init__.py`. */
function foldersThatAreModules(path: string): string[] {
  const name = withoutEnding(path);
  if (/\.(?:pyc?|[cm]?[jt]sx?|json)$/.test(path)) return [name.replace(/\/__init__$/, '')];
  return [];
}
