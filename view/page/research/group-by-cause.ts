import type { Attention } from './attention.ts';

/** Reasons that are told where they differ. */
const WHYS = 2;

/**
 * The same that several researches need as one item with all of them, in the order of the first of each: what has the same title
 * and the same commands is done once.
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
    const researches = [...new Set(alike.flatMap((one) => one.researches))];
    return [{ ...first, researches, why: whyOf(alike.flatMap(({ why }) => why ?? [])) }];
  });
}

function whyOf(all: readonly string[]): string | null {
  const whys = [...new Set(all)];
  return whys.length === 0 ? null : [...whys.slice(0, WHYS), ...(whys.length > WHYS ? ['…'] : [])].join('; ');
}
