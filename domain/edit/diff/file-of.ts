import type { KnownPaths } from '../answer/known-paths.ts';
import { namesInHeader } from './header.ts';

/** The lines that say which file the hunks behind them change. */
export interface Head {
  minus: string;
  plus: string;
  /** How many lines it has. */
  lines: number;
}

/**
 * The file that a diff's head means: a known path, also as a path from the root or as its last part; else the path above the
 * block, where the head names none (`original`) or the same; else what it says, so that the refusal can name it.
 */
export function fileOf(
  { minus, plus }: Head,
  { path, known }: { path: string | null; known: KnownPaths },
): string | { reason: string } {
  if (/^\+\+\+ \/dev\/null/.test(plus))
    return { reason: `the diff cannot be applied: it deletes a file; expected changes of lines` };
  const names = [...namesInHeader(plus), ...namesInHeader(minus)].filter((name) => name !== '/dev/null');
  const exact = names.map((name) => known.named(name)).find((found) => found !== null);
  if (exact !== undefined) return exact;
  const name = names.at(namesInHeader(plus).length - 1) ?? '';
  const isWhole = /^(?:\/|[A-Za-z]:\/|~\/)/.test(name);
  const alike = known.list.filter((one) => (isWhole && name.endsWith(`/${one}`)) || one.endsWith(`/${name}`));
  const [only] = alike;
  if (path !== null && (alike.includes(path) || (isWhole && name.endsWith(`/${path}`)) || NO_NAME.test(name)))
    return path;
  if (path === null && only !== undefined && alike.length === 1) return only;
  return path !== null && isVersionOf(name, path, isWhole) ? path : name;
}

/** `a.py.orig` of `a.py`. */
const isVersionOf = (name: string, path: string, isWhole: boolean): boolean =>
  name.startsWith(`${path}.`) ||
  (isWhole && name.includes(`/${path}.`)) ||
  (!name.includes('/') && name.startsWith(`${baseOf(path)}.`));

/** What stands in the place of a name. */
const NO_NAME =
  /^(?:[ab]|(?:old|new|original|modified|before|after|current|updated|previous)(?:[ _-](?:file|version|code))?)$/i;

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
