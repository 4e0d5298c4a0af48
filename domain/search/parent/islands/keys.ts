import type { StoredNiche } from '../niche.ts';
import type { NicheView } from '../tree.ts';

/** An island as a rule reads it. */
export interface Island extends NicheView {
  /** Number from 1. */
  island: number;
  /** Number of times that it began anew. */
  generation: number;
}

/** The key of an island: `island 3`, and `island 3.1` after it began anew for the first time. */
export const islandKey = ({ island, generation = 0 }: { island: number; generation?: number }): string =>
  generation === 0 ? `island ${island}` : `island ${island}.${generation}`;

const KEY = /^island (\d+)(?:\.(\d+))?$/;

function parse(key: string, count: number): Pick<Island, 'island' | 'generation'> | null {
  const [, island, generation = '0'] = KEY.exec(key) ?? [];
  const number = Number(island);
  return number >= 1 && number <= count ? { island: number, generation: Number(generation) } : null;
}

/** The key if it is one of `count` islands; null for another rule's niche. */
export const islandIn = (key: string | null, count: number): string | null =>
  key !== null && parse(key, count) !== null ? key : null;

/** All islands in the order of their numbers; those that the tree does not have yet are empty. */
export function islandsOf(niches: readonly NicheView[], count: number): Island[] {
  const found = niches.flatMap((niche) => {
    const parsed = parse(niche.key, count);
    return parsed === null ? [] : { ...niche, ...parsed };
  });
  return Array.from({ length: count }, (_, index) => {
    const island = index + 1;
    const latest = found.filter((one) => one.island === island).toSorted((a, b) => b.generation - a.generation)[0];
    return latest ?? { key: islandKey({ island }), island, generation: 0, begun: null, inFlight: 0, best: [] };
  });
}

/** The islands of a tree that is built anew. The latest generation of each is active. */
export function listIslands(
  { placed, chosen }: { placed: ReadonlyMap<string, number>; chosen: readonly string[] },
  count: number,
): StoredNiche[] {
  const keys = [...new Set([...placed.keys(), ...chosen])];
  const latest = new Map<number, number>();
  for (const key of keys) {
    const parsed = parse(key, count);
    if (parsed) latest.set(parsed.island, Math.max(latest.get(parsed.island) ?? 0, parsed.generation));
  }
  return keys.flatMap((key) => {
    const parsed = parse(key, count);
    if (parsed === null) return [];
    return { key, begun: placed.get(key) ?? null, isActive: latest.get(parsed.island) === parsed.generation };
  });
}
