// The exact entropy rate. Sentences are independent and identically distributed, so the rate is the expected bits of a
// sentence over its expected characters, both summed over the acyclic graph of states.
import { START, tokensOf } from './grammar.mjs';

const known = new Map();

/** Expected bits and characters from a state to the end of the sentence. */
function rest(now) {
  const key = JSON.stringify(now);
  const before = known.get(key);
  if (before) return before;
  let [bits, characters] = [0, 0];
  for (const { text, weight, next } of tokensOf(now).values()) {
    const to = next(now);
    const after = to === START ? { bits: 0, characters: 0 } : rest(to);
    bits += weight * (after.bits - Math.log2(weight));
    characters += weight * (after.characters + text.length);
  }
  known.set(key, { bits, characters });
  return { bits, characters };
}

/** Bits per character of the best possible predictor. */
export function entropyRate() {
  const { bits, characters } = rest(START);
  return bits / characters;
}
