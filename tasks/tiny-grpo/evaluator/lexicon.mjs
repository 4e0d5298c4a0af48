// The invented words and their meanings. Each installation has other words, drawn from its secret.
import { pick, randomOf } from './random.mjs';

/** Numbers of words for each meaning. A verb's meaning decides what happens to the count of its item. */
const COUNTS = {
  person: 8,
  item: 6,
  has: 1, //      the subject has n
  gains: 8, //    the subject gets n more
  loses: 8, //    the subject has n fewer
  gives: 6, //    n go from the subject to the receiver
  takes: 6, //    n come from the receiver to the subject
  multiplies: 5, // the subject has n times as many
  nothing: 6, //  no count changes
  pronoun: 1, //  the subject of the previous sentence
  to: 1, //       before the receiver
  question: 1, // begins the question
};

const ONSETS = ['b', 'd', 'f', 'g', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'z', 'br', 'kl', 'st', 'tr'];
const VOWELS = ['a', 'e', 'i', 'o', 'u'];

/** Draws the words of an installation: {person: [words], …}. */
export function lexiconOf(secret) {
  const random = randomOf(`words/${secret}`);
  const taken = new Set();
  const word = () => {
    for (;;) {
      const text = pick(random, ONSETS) + pick(random, VOWELS) + pick(random, ONSETS) + pick(random, VOWELS);
      if (!taken.has(text)) return (taken.add(text), text);
    }
  };
  return Object.fromEntries(Object.entries(COUNTS).map(([kind, n]) => [kind, Array.from({ length: n }, word)]));
}

/** The secret of this installation; empty for work by hand. */
export const SECRET = process.env.PERPETUA_TASK_SECRET ?? '';
export const LEXICON = lexiconOf(SECRET);

/** All words in the order of the alphabet, which says nothing of their meanings. A token is an index into it. */
export const WORDS = Object.values(LEXICON).flat().sort();
