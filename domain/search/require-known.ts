import type { Search } from './schema.ts';
import { AXES } from './axes.ts';
import { methodOf } from '../method/axis.ts';
import { AUTO } from './proposer/table.ts';
import { UnknownMethod } from '../method/unknown-method.ts';

/**
 * Looks up every axis of stored settings; throws UnknownMethod for the first value that this build does not know. Settings of
 * an older version lack the axes that came later.
 */
export function requireKnown({ search }: { search: Search }): void {
  for (const [axis, table] of Object.entries(AXES)) {
    const choice: unknown = search[axis as keyof typeof AXES];
    if (choice !== undefined && choice !== AUTO) methodOf(`search.${axis}`, table, choice);
  }
}

/** Throws UnknownMethod for a key that this build does not know; `known` are those of the stored thing. */
export function requireKnownKeys(what: string, stored: object, known: readonly string[]): void {
  const unknown = Object.keys(stored).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new UnknownMethod(what, unknown, known);
}
