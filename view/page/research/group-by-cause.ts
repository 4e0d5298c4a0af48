import type { Attention } from './attention.ts';

/** Largest number of different reasons that an item shows. */
const MOST_REASONS = 2;

/**
 * Joins items of several researches into one if level, title and commands are equal: a person then acts once. Groups
 * are in the order of their first items.
 */
export function groupByCause(items: readonly Attention[]): Attention[] {
  const causes = new Map<string, Attention[]>();
  for (const item of items) {
    const key = JSON.stringify([item.level, item.title, item.commands]);
    causes.set(key, [...(causes.get(key) ?? []), item]);
  }
  return [...causes.values()].flatMap((alike) => {
    const [first] = alike;
    if (first === undefined) return [];
    const researches = [...new Set(alike.flatMap((item) => item.researches))];
    return [{ ...first, researches, why: joinReasons(alike.flatMap(({ why }) => why ?? [])) }];
  });
}

function joinReasons(all: readonly string[]): string | null {
  const reasons = [...new Set(all)];
  if (reasons.length === 0) return null;
  const shown = reasons.slice(0, MOST_REASONS);
  if (reasons.length > MOST_REASONS) shown.push('…');
  return shown.join('; ');
}
