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
 * The file that a diff's head means: a known path, in whatever folder; else the path above the block, where the head names none
 * (`original`) or the same; else what it says, so that the refusal can name it.
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
  const alike = known.list.filter((one) => name.endsWith(`/${one}`) || one.endsWith(`/${name}`));
  const [only] = alike;
  if (path !== null && (alike.includes(path) || name.endsWith(`/${path}`) || !/[./]/.test(name))) return path;
  if (path === null && only !== undefined && alike.length === 1) return only;
  return path !== null && baseOf(name).startsWith(`${baseOf(path)}.`) ? path : name;
}

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
