import type { Keyless } from './batch.ts';
import type { Folder } from './step.ts';

/**
 * The text of which a step's key is the SHA-256: parent and base by their hashes, wherever they lie, every setting and every
 * rollout. Equal batches give equal text, whatever the order of their keys; a batch that differs in anything is another step.
 */
export function stepKeyContent({ base, parent, ...rest }: Keyless): string {
  return JSON.stringify(inOrder({ ...rest, base: hashOf(base), parent: parent && hashOf(parent) }));
}

const hashOf = ({ sha256 }: Folder): string => sha256;

/** A value of JSON with the keys of its objects in one order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, inOrder(inner)]));
}
