import { realpathSync } from 'node:fs';
import { stageParts } from '../compute/local/stage.ts';
import { layoutOf } from '../compute/run-protocol/paths.ts';
import { binIn } from './built.ts';

/** Folder of an environment's programs on this machine. All installations of a home share its stages. */
export const localEnvironmentBin = (home: string, name: string): string =>
  binIn(stageParts(layoutOf(realpathSync(home), 'any'), name).data);
