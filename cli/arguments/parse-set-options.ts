import { parse } from 'yaml';
import { nearestKey } from '../../domain/text/nearest-key.ts';
import { type Overrides, SECTIONS } from '../../domain/task/overrides.ts';
import { refused } from '../errors.ts';

/** Reads `--set key=value` options, keys with dots and values in YAML, into overrides of a task. */
export function parseSetOptions(sets: readonly string[]): Overrides {
  const overrides: Record<string, unknown> = {};
  const read: { path: readonly string[]; text: string }[] = [];
  for (const text of sets) {
    const at = text.indexOf('=');
    const path = text.slice(0, Math.max(0, at)).split('.');
    const [section = ''] = path;
    if (at < 0 || path.length < 2 || path.includes('') || !(SECTIONS as readonly string[]).includes(section))
      throw refused(
        `Expected --set as a key of ${SECTIONS.join(', ')} and its value, such as search.parent=best, came ${JSON.stringify(text)}${meant(section)}`,
      );
    const twice = read.find((one) => overlap(one.path, path));
    if (twice)
      throw refused(
        `Expected --set to give each value once, came ${JSON.stringify(twice.text)} and ${JSON.stringify(text)}; leave one out.`,
      );
    read.push({ path, text });
    put(overrides, path, valueOf(text.slice(at + 1), text));
  }
  return overrides;
}

const meant = (section: string): string => {
  const nearest = (SECTIONS as readonly string[]).includes(section) ? null : nearestKey(section, SECTIONS);
  return nearest === null ? '.' : `; did you mean ${nearest}?`;
};

/** True where one path is the other, or leads to it. */
const overlap = (a: readonly string[], b: readonly string[]): boolean =>
  a.slice(0, b.length).every((key, at) => key === b[at]);

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
    throw refused(
      `Expected --set with a value in YAML, came ${JSON.stringify(text)}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
