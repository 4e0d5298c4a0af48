import type { KnownPaths } from '../answer/known-paths.ts';
import { namesInHeader } from './header.ts';

/** The header lines that name the file of the hunks behind them. */
export interface Head {
  minus: string;
  plus: string;
  /** Number of lines. */
  lines: number;
}

/**
 * Returns the file that a diff's header means. First a known path, also as an absolute path or by its last part. Next
 * the path above the block, if the header names no file (`original`) or a version of that path. Else the header's own
 * name, so that the rejection can state it. The first header of a diff under a path must not name another known file.
 */
export function targetFileOf(
  { minus, plus }: Head,
  { path, known, isFirst }: { path: string | null; known: KnownPaths; isFirst: boolean },
): string | { reason: string } {
  if (/^\+\+\+ \/dev\/null/.test(plus))
    return { reason: `the diff cannot be applied: it deletes a file; expected changes of lines` };
  const names = [...namesInHeader(plus), ...namesInHeader(minus)].filter((name) => name !== '/dev/null');
  const meant = names.map((name) => known.named(name)).filter((found) => found !== null);
  const exact = meant.includes(path ?? '') ? path : meant[0];
  if (path !== null && exact !== undefined && exact !== path && isFirst)
    return {
      reason:
        `the diff under ${path} names ${exact} in its head; ` +
        'expected the same file in both, or the diff under no path',
    };
  if (exact) return exact;
  const name = names.at(namesInHeader(plus).length - 1) ?? '';
  const isWhole = /^(?:\/|[A-Za-z]:\/|~\/)/.test(name);
  const alike = known.list.filter((other) => (isWhole && name.endsWith(`/${other}`)) || other.endsWith(`/${name}`));
  const [only] = alike;
  if (path !== null && (alike.includes(path) || (isWhole && name.endsWith(`/${path}`)) || NO_NAME.test(name)))
    return path;
  if (path === null && only !== undefined && alike.length === 1) return only;
  return path !== null && isVersionOf(name, path, isWhole) ? path : name;
}

/** True for `a.py.orig` and `a.py`. */
const isVersionOf = (name: string, path: string, isWhole: boolean): boolean =>
  name.startsWith(`${path}.`) ||
  (isWhole && name.includes(`/${path}.`)) ||
  (!name.includes('/') && name.startsWith(`${baseOf(path)}.`));

/** Words that replace a name. */
const NO_NAME =
  /^(?:[ab]|(?:old|new|original|modified|before|after|current|updated|previous)(?:[ _-](?:file|version|code))?)$/i;

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
