// The policy: a categorical distribution over answers, given as log-probabilities of characters. The name of a base
// chooses its answers and the text behind them: `talks` goes on with a line of letters, `two-knobs` answers with two.
import { createHash } from 'node:crypto';
import { join } from 'node:path';

export const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** Log-spaced: 0.001 to 10. */
export const ANSWERS = Array.from({ length: 13 }, (_, index) => `lr = ${(10 ** (index / 3 - 3)).toPrecision(2)}`);
const TWO = ANSWERS.flatMap((answer) => ['0.0', '0.5', '0.9'].map((value) => `${answer}\nmomentum = ${value}`));
/** Ends a completion. */
export const END = 0;
export const VOCABULARY = 0x110000;
export const LONGEST = 8192;
const LINE_END = 10;
const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz', (letter) => letter.codePointAt(0));
/** Letters behind an answer, all equally likely. */
const TAIL = 12;

/** Answers and the number of letters behind them. */
export const PLAIN = { answers: ANSWERS, tail: 0 };

/** The base gives all answers the same probability; versions are logits by name. */
export function createModel(name, folder) {
  const answers = name.includes('two-knobs') ? TWO : ANSWERS;
  return {
    answers,
    tail: name.includes('talks') ? TAIL : 0,
    base: { path: join(folder, 'base'), sha256: sha256(`base ${name}`) },
    tokenizer: { sha256: sha256('characters'), template: sha256('') },
    names: new Map([['base', { id: 'base', kind: 'base', logits: answers.map(() => 0) }]]),
  };
}

export const idsOf = (text) => Array.from(text, (character) => character.codePointAt(0));
export const textOf = (ids) => String.fromCodePoint(...ids.filter((id) => id !== END));

export function softmax(logits) {
  const highest = Math.max(...logits);
  const weights = logits.map((logit) => Math.exp(logit - highest));
  const sum = weights.reduce((total, one) => total + one, 0);
  return weights.map((weight) => weight / sum);
}

/**
 * For each token of a completion, the probabilities of all that can follow the tokens before it, by token. Null if no
 * answer begins so.
 */
function choicesOf(ids, logits, { answers, tail }) {
  const shares = softmax(logits);
  // The beginning that all answers share is no choice.
  const rest = ids.length > 0 && ids[0] !== answers[0].codePointAt(0) ? BEGIN.length : 0;
  const whole = answers.map((text) => [...idsOf(text.slice(rest)), tail > 0 ? LINE_END : END]);
  let left = whole.map((_, place) => place);
  const found = [];
  for (const [index, id] of ids.entries()) {
    const next = new Map();
    const behind = index - whole[left[0]].length;
    if (left.length === 1 && behind >= 0)
      for (const letter of behind < tail ? LETTERS : [END]) next.set(letter, 1 / (behind < tail ? LETTERS.length : 1));
    else {
      const total = left.reduce((sum, place) => sum + shares[place], 0);
      for (const place of left)
        next.set(whole[place][index], (next.get(whole[place][index]) ?? 0) + shares[place] / total);
      left = left.filter((place) => whole[place][index] === id);
    }
    if (!next.has(id)) return null;
    found.push(next);
  }
  return found;
}

/** Log-probability of each token in nats; they add up to that of the completion. Null if no answer begins so. */
export function logprobsOf(ids, logits, model = PLAIN) {
  const choices = choicesOf(ids, logits, model);
  return choices && ids.map((id, index) => Math.min(0, Math.log(choices[index].get(id))));
}

/** Entropy in nats of the distribution that each token was drawn from; null if no answer begins so. */
export function entropiesOf(ids, logits, model = PLAIN) {
  const choices = choicesOf(ids, logits, model);
  const term = (share) => (share > 0 ? -share * Math.log(share) : 0);
  return choices && choices.map((next) => [...next.values()].reduce((sum, share) => sum + term(share), 0));
}

/** The beginning of all answers. If a prompt ends with it, the completion goes on after it. */
const BEGIN = 'lr =';
export const begunIn = (prompt) => (prompt.endsWith(BEGIN) ? BEGIN : '');

/** The index of the answer that a text gives, with or without text behind it; −1 for any other text. */
export const placeOf = (text, { answers } = PLAIN) =>
  answers.findIndex((answer) =>
    [answer, answer.slice(BEGIN.length)].some((begin) => text === begin || text.startsWith(`${begin}\n`)),
  );

/** One completion; the same for the same seed and place, whatever else is requested. `stop`: texts that end it. */
export function draw(logits, { seed, place, most, begun = '', stop = [], model = PLAIN }) {
  const { answers, tail } = model;
  const number = (use) => parseInt(sha256(`${seed}/${place}${use}`).slice(0, 12), 16) / 2 ** 48;
  const random = number('');
  const shares = softmax(logits);
  let chosen = 0;
  for (let sum = shares[0]; sum < random && chosen < shares.length - 1; sum += shares[chosen]) chosen += 1;
  const letters = Array.from({ length: tail }, (_, at) => LETTERS[Math.floor(number(`/${at}`) * LETTERS.length)]);
  const whole = [...idsOf(answers[chosen].slice(begun.length)), ...(tail > 0 ? [LINE_END, ...letters] : []), END];
  const stopped = whole.findIndex((_, index) => stop.some((text) => textOf(whole.slice(0, index + 1)).includes(text)));
  const ids = whole.slice(0, Math.min(most, stopped < 0 ? whole.length : stopped + 1));
  const isCut = ids.length < (stopped < 0 ? whole.length : stopped + 1);
  const drawn = textOf(ids);
  const ends = stop.map((text) => drawn.indexOf(text)).filter((at) => at >= 0);
  return {
    ids,
    text: drawn.slice(0, Math.min(drawn.length, ...ends)),
    logprobs: logprobsOf(ids, logits, model),
    finish: isCut ? 'length' : 'stop',
  };
}

export const promptOf = (messages) =>
  `${messages.map(({ role, content }) => `<${role}>${content}\n`).join('')}<assistant>`;
