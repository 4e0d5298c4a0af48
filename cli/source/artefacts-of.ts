import { refused } from '../errors.ts';
import type { Tried } from './try-once.ts';
import { fewOf } from './told-rows.ts';

/** As much as an artefact may have where nothing is said of it. */
const LARGEST = 16 * 1024 * 1024;
const MOST = 20;

/** Paths of what a run left for the evaluation, but for what a proposal changes itself. */
export function artefactsOf(made: Tried['made'], mutable: readonly string[]): string[] {
  const fit = made.filter(({ path, content }) => !mutable.includes(path) && content.length <= LARGEST);
  const paths = fit.map(({ path }) => path);
  if (paths.length === 0)
    throw refused(
      'Expected the run to leave files for the evaluation, of at most 16 MiB each; it left none. Name them with --artefact PATH, or leave out --eval.',
    );
  if (paths.length > MOST)
    throw refused(
      `Expected the run to leave at most ${MOST} files for the evaluation, it left ${paths.length}: ${fewOf(paths)}. Name those that count with --artefact PATH.`,
    );
  return paths;
}
