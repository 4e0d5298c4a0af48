import { realpathSync } from 'node:fs';
import { stageParts } from '../compute/local/stage.ts';
import { layoutOf } from '../compute/run-protocol/paths.ts';
import { binIn } from './built.ts';

/** Folder of the programs of an environment of that name on this machine: what is staged is shared by all installations of a home. */
export const localEnvironmentBin = (home: string, name: string): string =>
  binIn(stageParts(layoutOf(realpathSync(home), 'any'), name).data);
