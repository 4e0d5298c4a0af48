// The given data: characters, training text, and the run's budget and seed. Immutable.
import { readFileSync } from 'node:fs';

/** All characters. A symbol is an index into them, and answers are probabilities in this order. */
export const ALPHABET = 'abdefghiklmnoprstuvyz ,.';
export const SYMBOLS = ALPHABET.length;

/** Text as symbols, one byte each. */
export const encode = (text) => Uint8Array.from(text, (character) => ALPHABET.indexOf(character));

/** The training text. */
export const readCorpus = () => encode(readFileSync(new URL('corpus.txt', import.meta.url), 'latin1'));

/** Reference seconds (clock.mjs) that training may take, and the seed of all random numbers in it. */
export const BUDGET_SECONDS = Number(process.env.PERPETUA_BUDGET_SECONDS ?? 3);
export const SEED = Number(process.env.PERPETUA_SEED ?? 1);

/** A uniform generator on [0, 1) (mulberry32). */
export function createRandom(seed) {
  let state = Math.imul(seed, 0x9e3779b1) ^ 0x85ebca6b;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
