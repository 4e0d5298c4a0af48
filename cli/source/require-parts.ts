import { splitSource, type SourceParts } from '../../domain/source/split-source.ts';
import { globMatcher } from '../../tasks/folder/globs.ts';
import { refused } from '../errors.ts';
import type { SourceRequest } from './options.ts';
import type { Source } from './read-source.ts';

/** True if a glob matches a path, or names a folder above it. */
export function matchesGlob(glob: string, path: string): boolean {
  const plain = glob.replace(/^\.\//, '').replace(/\/$/, '');
  return globMatcher(plain)(path) || path.startsWith(`${plain}/`);
}

/** Refuses a glob of an option that matches no file: a misspelt one would leave answers to runs. */
function requireMatches({ root, files }: Source, option: string, globs: readonly string[]): void {
  for (const glob of globs)
    if (!files.some(({ path }) => matchesGlob(glob, path)))
      throw refused(`${option}: no file of ${root} matches ${glob}. Correct the glob.`);
}

/** Finds the files that a proposal may change. Refuses options that match no file, or that contradict each other. */
export function requireParts(source: Source, request: SourceRequest): SourceParts {
  const { run, evaluate, mutable } = request;
  const { root } = source;
  const evalFiles = request.evalFiles ?? [];
  const any = (globs: readonly string[]) => (path: string) => globs.some((glob) => matchesGlob(glob, path));
  // A task's `mutable` has only globs, so a folder's name matches no file.
  const anyGlob = (globs: readonly string[]) => (path: string) => globs.some((glob) => globMatcher(glob)(path));
  requireMatches(source, '--eval-files', evalFiles);
  requireMatches(source, '--run-files', request.runFiles);
  const both = source.files.find(({ path }) => any(evalFiles)(path) && any(request.runFiles)(path));
  if (both !== undefined) throw refused(`${both.path} matches --eval-files and --run-files. Keep one of the two.`);
  const paths = source.files.map(({ path }) => path);
  const isMutable = mutable === null ? null : anyGlob(mutable);
  const parts = splitSource(paths, { run, evaluate, isHeld: any(evalFiles), isMutable });
  if (parts.mutable.length > 0) return parts;
  if (mutable !== null)
    throw refused(`--mutable: no file of ${root} matches ${mutable.join(' or ')}. Correct the glob.`);
  const besides = evaluate === null ? '' : ' besides those of the evaluation';
  throw refused(
    `--run: ${JSON.stringify(run)} names no file of ${root}${besides}, ` +
      'so it is unknown which files a proposal may change. Correct --run, or name the files: --mutable GLOB',
  );
}
