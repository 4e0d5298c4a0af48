// The invented words. They are drawn from a fixed label, so that every process has the same language, and then
// disguised: by its secret, each installation has other letters and words. This file reveals the grammar and no word.
// Lengths, frequencies and structure stay the same, and with them the entropy.
import { draw, randomOf } from './random.mjs';

/** All characters that can occur. Answers are probabilities in this order. */
export const ALPHABET = 'abdefghiklmnoprstuvyz ,.';
export const GENDERS = 3;
/** Groups of verbs. The group of a verb decides which objects are likely. */
export const GROUPS = 4;

const ONSETS = ['b', 'd', 'f', 'g', 'h', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'z', 'st', 'kr', 'pl', 'sh', ''];
const ONSET_WEIGHTS = [4, 5, 2, 3, 2, 6, 6, 6, 7, 4, 6, 7, 7, 3, 1, 2, 1, 1, 2, 3];
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'y', 'ai', 'ou'];
const VOWEL_WEIGHTS = [9, 8, 7, 5, 3, 1, 1, 1];
const CODAS = ['', 'n', 'r', 's', 'l', 't', 'm'];
const CODA_WEIGHTS = [14, 3, 3, 2, 2, 1, 1];

const random = randomOf('language/1');
const taken = new Set();

function syllable() {
  const parts = [
    [ONSETS, ONSET_WEIGHTS],
    [VOWELS, VOWEL_WEIGHTS],
    [CODAS, CODA_WEIGHTS],
  ];
  return parts.map(([texts, weights]) => texts[draw(random, weights)]).join('');
}

/** Draws `count` new stems. `lengths`: weights of one, two and three syllables. */
function stems(count, lengths) {
  const words = [];
  while (words.length < count) {
    const word = Array.from({ length: 1 + draw(random, lengths) }, syllable).join('');
    // No stem is the beginning of another, so the text determines its words and the state of the source.
    if (word.length < 2 || [...taken].some((other) => other.startsWith(word) || word.startsWith(other))) continue;
    taken.add(word);
    words.push(word);
  }
  return words;
}

const SECRET = process.env.PERPETUA_TASK_SECRET ?? '';
const disguise = randomOf(`disguise/${SECRET}`);

/** The list in a random order, uniformly drawn; unchanged without a secret. */
function shuffled(list) {
  const left = [...list];
  return SECRET === '' ? left : list.map(() => left.splice(Math.floor(disguise() * left.length), 1)[0]);
}

const LETTERS = [...ALPHABET].filter((symbol) => /[a-z]/.test(symbol));
const letters = new Map(shuffled(LETTERS).map((letter, i) => [LETTERS[i], letter]));
const inLetters = (word) => [...word].map((letter) => letters.get(letter)).join('');

/** Exchanges words within their class and length, so that sentences keep their lengths. */
function disguised(words) {
  const traded = new Map();
  for (const length of new Set(words.map((word) => word.length))) {
    const alike = words.filter((word) => word.length === length);
    shuffled(alike).forEach((word, i) => traded.set(alike[i], inLetters(word)));
  }
  return words.map((word) => traded.get(word));
}

const link = stems(5, [1, 0, 0]);
const preposition = stems(5, [3, 1, 0]);
const noun = stems(56, [1, 6, 4]);
const verb = stems(28, [2, 6, 1]);
const adjective = stems(20, [2, 5, 1]);

/** Stems by class, most frequent first. */
export const WORDS = {
  link: disguised(link),
  preposition: disguised(preposition),
  noun: disguised(noun),
  verb: disguised(verb),
  adjective: disguised(adjective),
};
/** Gender of each noun. It does not show in the noun's form, so it has to be learned. */
export const nounGender = noun.map(() => draw(random, [3, 2, 2]));
export const verbGroup = verb.map((_, i) => i % GROUPS);
/** Endings that agree with the gender of an earlier noun. */
export const ENDINGS = { verb: ['a', 'en', 'is'].map(inLetters), adjective: ['o', 'ul', 'em'].map(inLetters) };

/** Zipf weights that sum to one, rotated by `shift` ranks. */
export function zipf(count, shift = 0) {
  const weights = Array.from({ length: count }, (_, i) => 1 / (((i + shift) % count) + 1.5));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}
