import { type Preset, PRESETS } from '../../domain/task/presets.ts';
import { nearestKey } from '../../domain/text/nearest-key.ts';
import { refused } from '../errors.ts';

/** Returns a preset by its name. Refuses an unknown name. `key`: the option that has the name. */
export function readPreset(name: string, key = '--preset'): Preset {
  const known = Object.keys(PRESETS);
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (preset !== undefined) return preset;
  const nearest = nearestKey(name, known);
  const hint = nearest === null ? '.' : `; did you mean ${nearest}?`;
  throw refused(`Expected ${key} to be one of ${known.join(', ')}, got ${JSON.stringify(name)}${hint}`);
}
