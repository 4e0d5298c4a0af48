import { type Preset, PRESETS } from '../../domain/task/presets.ts';
import { nearestKey } from '../../domain/text/nearest-key.ts';
import { refused } from '../errors.ts';

/** Returns the preset of a published method by its name. Refuses an unknown name. */
export function readPreset(name: string): Preset {
  const known = Object.keys(PRESETS);
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (preset !== undefined) return preset;
  const nearest = nearestKey(name, known);
  const hint = nearest === null ? '.' : `; did you mean ${nearest}?`;
  throw refused(`Expected --preset to be one of ${known.join(', ')}, got ${JSON.stringify(name)}${hint}`);
}
