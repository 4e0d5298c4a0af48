// Word problems of the invented language, with the chain of actions that solves each.
import { LEXICON } from './lexicon.mjs';
import { pick, whole } from './random.mjs';

/** Actions of a chain: what one sentence does to the count that is asked for. */
export const [SKIP, ADD, SUBTRACT, MULTIPLY] = [0, 1, 2, 3];

const MOST = 400;
const KINDS = ['gains', 'loses', 'gives', 'gives', 'takes', 'takes', 'multiplies', 'multiplies', 'nothing'];
const OF_SUBJECT = { has: ADD, gains: ADD, loses: SUBTRACT, gives: SUBTRACT, takes: ADD, multiplies: MULTIPLY };
const OF_RECEIVER = { gives: ADD, takes: SUBTRACT };

const other = (random, list, not) => pick(random, list.filter((one) => one !== not));

/** One event after the first: who does what, with which item. */
function eventOf(random, asked) {
  const kind = pick(random, KINDS);
  const subject = random() < 0.6 ? asked.person : other(random, LEXICON.person, asked.person);
  const item = random() < 0.85 ? asked.item : other(random, LEXICON.item, asked.item);
  const number = kind === 'multiplies' ? whole(random, 2, 4) : whole(random, 1, 12);
  let receiver = null;
  if (kind === 'gives' || kind === 'takes') {
    const toAsked = subject !== asked.person && random() < 0.8;
    receiver = toAsked ? asked.person : other(random, LEXICON.person.filter((one) => one !== asked.person), subject);
  }
  return { kind, verb: pick(random, LEXICON[kind]), subject, item, number, receiver };
}

/** The action of an event on the count that is asked for. */
function actionOf({ kind, subject, item, receiver }, asked) {
  if (item !== asked.item) return SKIP;
  if (subject === asked.person) return OF_SUBJECT[kind] ?? SKIP;
  return receiver === asked.person ? OF_RECEIVER[kind] : SKIP;
}

/** The count after one action. */
export function applied(count, action, number) {
  if (action === ADD) return count + number;
  if (action === SUBTRACT) return count - number;
  return action === MULTIPLY ? count * number : count;
}

/** True if the action of `event` tells a reader who its subject was, so that the next subject may be a pronoun. */
const tells = (event, asked) => event.item === asked.item && event.receiver === null && event.kind !== 'nothing';

function textOf(events, asked) {
  const sentences = events.map(({ verb, subject, item, number, receiver }, i) => {
    const before = events[i - 1];
    const again = before !== undefined && before.subject === subject && tells(before, asked);
    const words = [again ? LEXICON.pronoun[0] : subject, verb, number, item];
    return `${[...words, ...(receiver === null ? [] : [LEXICON.to[0], receiver])].join(' ')} .`;
  });
  return `${sentences.join(' ')} ${LEXICON.question[0]} ${asked.person} ${asked.item} ?`;
}

/** Draws a problem of three to six sentences: its text, its answer, and the actions that lead to the answer. */
export function problemOf(random) {
  for (;;) {
    const asked = { person: pick(random, LEXICON.person), item: pick(random, LEXICON.item) };
    const first = { kind: 'has', verb: LEXICON.has[0], subject: asked.person, item: asked.item, receiver: null };
    const events = [{ ...first, number: whole(random, 4, 30) }];
    for (let left = whole(random, 2, 5); left > 0; left--) events.push(eventOf(random, asked));
    const actions = events.map((event) => actionOf(event, asked));
    const counts = [0];
    for (const [i, { number }] of events.entries()) counts.push(applied(counts.at(-1), actions[i], number));
    if (counts.every((count) => count >= 0 && count <= MOST))
      return { text: textOf(events, asked), answer: counts.at(-1), actions };
  }
}
