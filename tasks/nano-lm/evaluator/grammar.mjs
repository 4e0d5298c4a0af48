// The sentences, as a graph of states. A token is one word with the separator after it. Its text determines the next
// state, so the text alone determines the state and the true distribution of the next character.
//
//   subject → [adjective] → verb → [object → [adjective]] → [preposition → noun] → [, link subject-again verb] .
import { ENDINGS, GROUPS, nounGender, verbGroup, WORDS, zipf } from './lexicon.mjs';

const SHARE = { subjectAdjective: 0.35, object: 0.6, place: 0.3, objectAdjective: 0.3, clause: 0.35 };

/** State of a sentence: the part that comes next, and the facts about it that earlier words decided. */
function state(part, { gender = 0, group = 0, subject = 0, second = false }) {
  return { part, gender, group, subject, second };
}

/** First state of every sentence. */
export const START = state('subject', {});
const begin = () => START;
const to = (part) => (now) => state(part, now);

/** Words of one class as [text, index, weight]. */
const choices = (words, { ending = '', shift = 0 } = {}) => {
  const weights = zipf(words.length, shift);
  return words.map((word, i) => [word + ending, i, weights[i]]);
};

/** Each word with each of its followers [separator, share, the next state as a function of this one]. */
const tokens = (words, followers) =>
  words.flatMap(([text, index, weight]) =>
    followers(index).map(([separator, share, next]) => ({ text: text + separator, weight: weight * share, next })),
  );

const scale = (list, factor) => list.map((token) => ({ ...token, weight: token.weight * factor }));

/**
 * Followers of a word that can be the last one, with `share` in all: the full stop, or a second clause on the same
 * subject.
 */
function closings(now, share) {
  if (now.second) return [['. ', share, begin]];
  return [
    ['. ', share * (1 - SHARE.clause), begin],
    [', ', share * SHARE.clause, to('link')],
  ];
}

function verbs(now) {
  const open = SHARE.object + SHARE.place;
  return tokens(choices(WORDS.verb, { ending: ENDINGS.verb[now.gender] }), (i) => [
    [' ', open, (at) => state('complement', { ...at, group: verbGroup[i] })],
    ...closings(now, 1 - open),
  ]);
}

const adjectives = (now, followers) =>
  tokens(choices(WORDS.adjective, { ending: ENDINGS.adjective[now.gender] }), () => followers);

const nouns = (now, shift) =>
  tokens(choices(WORDS.noun, { shift }), (i) => [
    [' ', SHARE.objectAdjective, (at) => state('trailing', { ...at, gender: nounGender[i] })],
    ...closings(now, 1 - SHARE.objectAdjective),
  ]);

/** By part: the words that may come next, and the memories that they depend on. */
const PARTS = {
  subject: [
    [],
    () =>
      tokens(choices(WORDS.noun), (i) => [
        [' ', 1, () => state('described', { subject: i, gender: nounGender[i] })],
      ]),
  ],
  described: [
    ['gender', 'second'],
    (now) => [
      ...scale(adjectives(now, [[' ', 1, to('verb')]]), SHARE.subjectAdjective),
      ...scale(verbs(now), 1 - SHARE.subjectAdjective),
    ],
  ],
  verb: [['gender', 'second'], verbs],
  complement: [
    ['group', 'second'],
    (now) => {
      const object = SHARE.object / (SHARE.object + SHARE.place);
      const prepositions = tokens(choices(WORDS.preposition), () => [[' ', 1, to('place')]]);
      const shift = Math.floor((now.group * WORDS.noun.length) / GROUPS);
      return [...scale(nouns(now, shift), object), ...scale(prepositions, 1 - object)];
    },
  ],
  trailing: [['gender', 'second'], (now) => adjectives(now, closings(now, 1))],
  place: [['second'], (now) => tokens(choices(WORDS.noun, { shift: 7 }), () => closings(now, 1))],
  link: [[], () => tokens(choices(WORDS.link), () => [[' ', 1, to('again')]])],
  // The subject of the sentence is repeated: a predictor that remembers it needs no bits.
  again: [
    ['subject'],
    ({ subject }) => {
      const next = () => state('verb', { subject, gender: nounGender[subject], second: true });
      return [{ text: `${WORDS.noun[subject]} `, weight: 1, next }];
    },
  ],
};

/** Key of the facts on which the next word depends: states with the same key have the same tokens. */
export const keyOf = (now) => [now.part, ...PARTS[now.part][0].map((memory) => now[memory])].join('/');

const known = new Map();

/** The tokens that may come next, by their text; their weights sum to one. */
export function tokensOf(now) {
  const key = keyOf(now);
  let list = known.get(key);
  if (!list) {
    list = new Map(PARTS[now.part][1](now).map((token) => [token.text, token]));
    known.set(key, list);
  }
  return list;
}
