import { locateKnob } from '../../edit/knob-edit.ts';
import { setKnobs } from '../../edit/set-knobs.ts';
import { createRandom, type Random } from '../../statistics/random.ts';
import type { Draw, KnobInput } from '../proposer.ts';
import { noneReason, turnedValue } from './turn-knob.ts';

/**
 * Changes some knobs from where they stand in `files` (path to text), by a generator seeded with `seed`: k of them with a chance
 * in proportion to 1/k. From a bad start many have to change at once, near a good one few (heavy-tailed mutation: Doerr, Le,
 * Makhmara, Nguyen: Fast genetic algorithms, GECCO 2017). Knobs that stand in no file are left out; where none is left, the
 * reason says so.
 */
export function turnKnobs({ knobs, files, seed }: KnobInput): Draw {
  const random = createRandom(seed);
  const places = knobs.flatMap((knob) => locateKnob(files, knob) ?? []);
  if (places.length === 0) return { ok: false, reason: noneReason(knobs) };
  const turned = someOf(places, random);
  return setKnobs(
    turned.map((place) => ({ knob: place.knob, value: turnedValue(place, { random }) })),
    files,
  );
}

/** Some of the items, in their order. */
function someOf<T>(items: readonly T[], random: Random): T[] {
  const count = countOf(items.length, random);
  const order = items.map((_, index) => index);
  for (let i = 0; i < count; i += 1) {
    const other = i + random.below(order.length - i);
    [order[i], order[other]] = [order[other] ?? 0, order[i] ?? 0];
  }
  const chosen = new Set(order.slice(0, count));
  return items.filter((_, index) => chosen.has(index));
}

/** From 1 to `most`, each with a chance in proportion to its inverse. */
function countOf(most: number, random: Random): number {
  const weights = Array.from({ length: most }, (_, index) => 1 / (index + 1));
  let left = random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
  const index = weights.findIndex((weight) => (left -= weight) < 0);
  return index < 0 ? most : index + 1;
}
