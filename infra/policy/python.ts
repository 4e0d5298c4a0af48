import { PolicyError } from '../policy.ts';
import { findInstalled, NOT_INSTALLED, placeOf } from '../trainer/place.ts';
import type { PolicyOptions } from './options.ts';

/** The interpreter of the trainer's environment. Throws {@link PolicyError} (down) where it is not installed. */
export function installedPython({ packageRoot, trainer }: Pick<PolicyOptions, 'packageRoot' | 'trainer'>): string {
  const where = { packageRoot, cache: trainer.cache };
  const found = findInstalled(where);
  if (found !== null) return found.python;
  const { folder } = placeOf('engine', where);
  throw new PolicyError(`expected the trainer's environment in ${folder}, found none: ${NOT_INSTALLED}`, {
    kind: 'down',
  });
}
