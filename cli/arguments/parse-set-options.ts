import { parse } from 'yaml';
import { nearestKey } from '../../domain/text/nearest-key.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { type Overrides, SECTIONS } from '../../domain/task/overrides.ts';
import { refused } from '../errors.ts';

/** Reads `--set key=value` options, keys with dots and values in YAML, into overrides of a task. */
export function parseSetOptions(sets: readonly string[]): Overrides {
  const overrides: Record<string, unknown> = {};
  const earlier: { path: readonly string[]; text: string }[] = [];
  for (const text of sets) {
    const equalsAt = text.indexOf('=');
    const path = text.slice(0, Math.max(0, equalsAt)).split('.');
    const [section = ''] = path;
    if (equalsAt < 0 || path.length < 2 || path.includes('') || !(SECTIONS as readonly string[]).includes(section))
      throw refused(
        `--set ${shellWord(text)}: expected SECTION.KEY=VALUE with a section search, abort or keep, ` +
          `such as search.parent=best${suggestionFor(section)}`,
      );
    const duplicate = earlier.find((option) => overlap(option.path, path));
    if (duplicate)
      throw refused(
        'Expected --set to give each value once, ' +
          `got ${JSON.stringify(duplicate.text)} and ${JSON.stringify(text)}; leave one out.`,
      );
    earlier.push({ path, text });
    put(overrides, path, valueOf(text.slice(equalsAt + 1), text));
  }
  return overrides;
}

const suggestionFor = (section: string): string => {
  const nearest = (SECTIONS as readonly string[]).includes(section) ? null : nearestKey(section, SECTIONS);
  return nearest === null ? '' : `; did you mean ${nearest}?`;
};

/** True if the paths are equal, or one is a prefix of the other. */
const overlap = (a: readonly string[], b: readonly string[]): boolean =>
  a.slice(0, b.length).every((key, index) => key === b[index]);

function put(into: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    into[key] = value;
    return;
  }
  const inner = Object.hasOwn(into, key) ? into[key] : undefined;
  const mapping = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {};
  into[key] = mapping;
  put(mapping, rest, value);
}

function valueOf(yaml: string, text: string): unknown {
  try {
    return parse(yaml);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const [first = ''] = reason.split('\n');
    throw refused(`--set ${shellWord(text)}: expected a value in YAML (the parser says: ${first.replace(/:$/, '')})`);
  }
}
