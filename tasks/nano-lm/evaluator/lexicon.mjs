// The invented words. Drawn once from a fixed label, so that every process has the same language.
import { draw, randomOf } from './random.mjs';

/** Every character that can occur; answers are probabilities in this order. */
export const ALPHABET = 'abdefghiklmnoprstuvyz ,.';
export const GENDERS = 3;
/** A verb belongs to a group, which decides what objects it likes. */
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

/** `count` new stems; `lengths` are the weights of one, two, three syllables. */
function stems(count, lengths) {
  const words = [];
  while (words.length < count) {
    const word = Array.from({ length: 1 + draw(random, lengths) }, syllable).join('');
    // No stem begins another one: the text then names its words, and the state of the source, without doubt.
    if (word.length < 2 || [...taken].some((other) => other.startsWith(word) || word.startsWith(other))) continue;
    taken.add(word);
    words.push(word);
  }
  return words;
}

const link = stems(5, [1, 0, 0]);
const preposition = stems(5, [3, 1, 0]);
const noun = stems(56, [1, 6, 4]);
const verb = stems(28, [2, 6, 1]);
const adjective = stems(20, [2, 5, 1]);

/** Stems by class, most frequent first. */
export const WORDS = { link, preposition, noun, verb, adjective };
/** The gender of each noun cannot be read off its form: it has to be learned. */
export const nounGender = noun.map(() => draw(random, [3, 2, 2]));
export const verbGroup = verb.map((_, i) => i % GROUPS);
/** Endings that agree with a noun said earlier. */
export const ENDINGS = { verb: ['a', 'en', 'is'], adjective: ['o', 'ul', 'em'] };

/** Zipf weights that sum to one, rotated by `shift` ranks. */
export function zipf(count, shift = 0) {
  const weights = Array.from({ length: count }, (_, i) => 1 / (((i + shift) % count) + 1.5));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}
