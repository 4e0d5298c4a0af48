import type { Search } from './schema.ts';
import { AXES } from './axes.ts';
import { methodOf } from '../method/axis.ts';
import { AUTO } from './proposer/table.ts';
import { UnknownMethod } from '../method/unknown-method.ts';

/**
 * Looks up every axis of stored settings. Throws UnknownMethod for the first value that this build does not know.
 * Settings from an older version lack the axes that were added later.
 */
export function requireKnown({ search }: { search: Search }): void {
  for (const [axis, table] of Object.entries(AXES)) {
    const choice: unknown = search[axis as keyof typeof AXES];
    if (choice !== undefined && choice !== AUTO) methodOf(`search.${axis}`, table, choice);
  }
}

/**
 * Throws UnknownMethod for a key of `stored` that is not in `known`. `subject` names the stored object in the error.
 */
export function requireKnownKeys(subject: string, stored: object, known: readonly string[]): void {
  const unknown = Object.keys(stored).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new UnknownMethod(subject, unknown, known);
}
