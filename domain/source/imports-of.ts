import { pythonImportsIn } from './python-imports.ts';

/** Text of a program's file. */
export interface SourceText {
  path: string;
  text: string;
}

/**
 * Files of a program that its other files import, from `begin` on, directly or not: Python's imports, and relative
 * imports of JavaScript and TypeScript, in all branches. Imports of other languages are not followed.
 */
export function importedFiles(begin: readonly string[], files: readonly SourceText[]): Set<string> {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const found = new Set<string>();
  const pending = [...begin];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const text = texts.get(path);
    if (text === undefined) continue;
    for (const target of importsIn({ path, text }, texts)) {
      if (found.has(target)) continue;
      found.add(target);
      pending.push(target);
    }
  }
  return found;
}

type Known = Pick<ReadonlyMap<string, string>, 'has'>;

function importsIn(file: SourceText, known: Known): string[] {
  if (/\.pyw?$/.test(file.path)) return pythonImports(file, known);
  return /\.[cm]?[jt]sx?$/.test(file.path) ? scriptImports(file, known) : [];
}

function pythonImports({ path, text }: SourceText, known: Known): string[] {
  const here = dirname(path);
  return pythonImportsIn(text).flatMap(({ dots, module, members }) => {
    const names = [module, ...members.map((member) => (module === '' ? member : `${module}.${member}`))];
    const folders = dots > 0 ? [above(here, dots - 1)] : [...ancestorsOf(here), 'src'];
    return names.flatMap((name) => folders.flatMap((folder) => moduleFiles(folder, name, known)));
  });
}

/** Files that an import of a module in a folder reads: the module, and the `__init__.py` of each package above. */
function moduleFiles(folder: string, module: string, known: Known): string[] {
  const parts = module.split('.').filter((part) => part !== '');
  const packages = parts.map((_, index) => join(folder, ...parts.slice(0, index + 1)));
  const whole = packages.at(-1) ?? folder;
  const files = [`${whole}.py`, ...[folder, ...packages].map((name) => join(name, '__init__.py'))];
  const isThere = files[0] !== undefined && (known.has(files[0]) || known.has(join(whole, '__init__.py')));
  return isThere ? files.filter((file) => known.has(file)) : [];
}

/** The folder and all folders above it, up to the root, which is ''. */
function ancestorsOf(folder: string): string[] {
  const parts = folder === '' ? [] : folder.split('/');
  return [...parts.map((_, index) => parts.slice(0, parts.length - index).join('/')), ''];
}

const above = (folder: string, levels: number): string =>
  folder
    .split('/')
    .slice(0, Math.max(0, folder.split('/').length - levels))
    .join('/');

const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])(\.{1,2}\/[^'"\n]+)\1/g;
const ENDINGS = ['', '.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.jsx', '.tsx', '.json'];

function scriptImports({ path, text }: SourceText, known: Known): string[] {
  return [...text.matchAll(SPECIFIER)].flatMap(([, , specifier = '']) => {
    const target = join(dirname(path), specifier);
    const candidates = ENDINGS.flatMap((ending) => [`${target}${ending}`, join(target, `index${ending}`)]);
    // TypeScript imports a .ts file by the name of its output.
    candidates.push(target.replace(/\.([cm]?)js(x?)$/, '.$1ts$2'));
    return candidates.filter((candidate) => known.has(candidate)).slice(0, 1);
  });
}

/** Folder of a relative path; '' for a file of the root. */
const dirname = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Joins parts of a relative path, and resolves `.` and `..`; '' is the root. */
function join(...parts: string[]): string {
  const joined: string[] = [];
  for (const part of parts.join('/').split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && joined.length > 0) joined.pop();
    else joined.push(part);
  }
  return joined.join('/');
}
