// The given data: words, problems with their answers, the base policy, and the run's budget and seed. Immutable.
import { readFileSync } from 'node:fs';
import { readerOf } from './text.mjs';

const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8').trim();

/** All words of the language. */
export const WORDS = read('words.txt').split('\n');
export const stepsOf = readerOf(WORDS);

/** The problems to learn from: {steps, answer}. Their chains are given nowhere. */
export const readProblems = () =>
  read('problems.txt')
    .split('\n')
    .map((line) => {
      const [text, answer] = line.split('\t');
      return { steps: stepsOf(text), answer: Number(answer) };
    });

/** The parameters of the base policy. */
export const readBase = () => Float64Array.from(JSON.parse(read('base.json')));

/** Work of a run, in millions of multiplications of network.mjs: 400 for each second of the budget. */
export const WORK = 400 * Number(process.env.PERPETUA_BUDGET_SECONDS ?? 3);

/** The seed of all random numbers of a run. */
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
