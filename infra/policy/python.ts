import { PolicyError } from '../policy.ts';
import { findInstalled, notInstalled } from '../trainer/place.ts';
import type { PolicyOptions } from './options.ts';

/** The interpreter of the trainer's environment. Throws {@link PolicyError} (down) where it is not installed. */
export function installedPython({ packageRoot, trainer }: Pick<PolicyOptions, 'packageRoot' | 'trainer'>): string {
  const where = { packageRoot, cache: trainer.cache };
  const found = findInstalled(where);
  if (found === null) throw new PolicyError(notInstalled(where), { kind: 'down' });
  return found.python;
}
