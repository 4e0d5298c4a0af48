import { type Preset, PRESETS } from '../../domain/task/presets.ts';
import { nearestKey } from '../../domain/text/nearest-key.ts';
import { refused } from '../errors.ts';

/** A published method by its name. */
export function readPreset(name: string): Preset {
  const known = Object.keys(PRESETS);
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (preset !== undefined) return preset;
  const nearest = nearestKey(name, known);
  throw refused(
    `Expected --preset to be one of ${known.join(', ')}, came ${JSON.stringify(name)}${nearest === null ? '.' : `; did you mean ${nearest}?`}`,
  );
}
