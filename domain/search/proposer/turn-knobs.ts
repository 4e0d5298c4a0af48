import { locateKnob } from '../../edit/knob-edit.ts';
import { setKnobs } from '../../edit/set-knobs.ts';
import { drawByWeight } from '../../statistics/draw-by-weight.ts';
import { createRandom, type Random } from '../../statistics/random.ts';
import type { Draw, KnobInput } from '../proposer.ts';
import { noneReason, turnedValue } from './turn-knob.ts';

/**
 * Changes some knobs from their values in `files` (path to text), with a generator seeded by `seed`. The probability of
 * changing k knobs is proportional to 1/k: a parent with bad values needs many changes at once, a good parent few
 * (heavy-tailed mutation: Doerr, Le, Makhmara, Nguyen: Fast genetic algorithms, GECCO 2017). Ignores knobs that are in
 * no file; if none remains, returns the reason.
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

/** A random subset of the items, in their order. */
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

/** Draws k from 1 to `most`, with probability proportional to 1/k. */
const countOf = (most: number, random: Random): number =>
  1 +
  drawByWeight(
    Array.from({ length: most }, (_, index) => 1 / (index + 1)),
    random,
  );
