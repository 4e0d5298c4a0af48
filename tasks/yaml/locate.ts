import { isAlias, isMap, isNode, isScalar, isSeq, type Document, type LineCounter, type Node } from 'yaml';

export interface Position {
  line: number;
  column: number;
}

/** Finds the position of a key path in a YAML file. */
export type Locate = (path: readonly PropertyKey[], what?: 'key' | 'value') => Position;

/** Finds the value at a key path as the file writes it; undefined if there is no single value. */
export type ScalarAt = (path: readonly PropertyKey[]) => { source: string; plain: boolean } | undefined;

export const createScalarAt =
  (document: Document): ScalarAt =>
  (path) => {
    let node: unknown = document.contents;
    for (const step of path) node = stepInto(resolved(node, document), step)?.value;
    const found = resolved(node, document);
    return isScalar(found) ? { source: found.source ?? '', plain: found.type === 'PLAIN' } : undefined;
  };

/**
 * Creates a locator for a parsed document. For a missing path it returns the position of the deepest part that exists.
 */
export function createLocate(document: Document, counter: LineCounter): Locate {
  return (path, what = 'value') => {
    let node: unknown = document.contents;
    let found = offsetOf(node) ?? 0;
    for (const [depth, step] of path.entries()) {
      const next = stepInto(resolved(node, document), step);
      if (next === null) break;
      const value = offsetOf(next.value);
      const last = depth === path.length - 1;
      found = (last && what === 'value' && isScalar(next.value) ? value : (next.key ?? value)) ?? found;
      node = next.value;
    }
    const { line, col } = counter.linePos(found);
    return { line, column: col };
  };
}

function stepInto(node: unknown, step: PropertyKey): { key: number | null; value: unknown } | null {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(step));
    return pair ? { key: offsetOf(pair.key), value: pair.value } : null;
  }
  if (isSeq(node) && typeof step === 'number' && step < node.items.length)
    return { key: offsetOf(node.items[step]), value: node.items[step] };
  return null;
}

const resolved = (node: unknown, document: Document): unknown => (isAlias(node) ? node.resolve(document) : node);
const offsetOf = (node: unknown): number | null => (isNode(node) ? ((node as Node).range?.[0] ?? null) : null);
