// The policy: a categorical distribution over answers, given as log-probabilities of characters.
import { createHash } from 'node:crypto';
import { join } from 'node:path';

export const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** Log-spaced: 0.001 to 10. */
export const ANSWERS = Array.from({ length: 13 }, (_, index) => `lr = ${(10 ** (index / 3 - 3)).toPrecision(2)}`);
/** Ends a completion. */
export const END = 0;
export const VOCABULARY = 0x110000;
export const LONGEST = 8192;

/** The base gives all answers the same probability; versions are logits by name. */
export function createModel(name, folder) {
  const nothing = sha256('');
  return {
    base: { path: join(folder, 'base'), sha256: sha256(`base ${name}`) },
    tokenizer: { sha256: sha256('characters'), template: nothing },
    names: new Map([['base', { id: 'base', kind: 'base', logits: ANSWERS.map(() => 0) }]]),
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

/** Log-probability of each token in nats; they add up to that of the answer. Null if no answer begins so. */
export function logprobsOf(ids, logits) {
  const shares = softmax(logits);
  // The beginning that all answers share is no choice.
  const rest = ids.length > 0 && ids[0] !== ANSWERS[0].codePointAt(0) ? BEGIN.length : 0;
  const whole = ANSWERS.map((text) => [...idsOf(text.slice(rest)), END]);
  const massOf = (length) =>
    shares.reduce((sum, share, place) => {
      const begins = ids.slice(0, length).every((id, index) => whole[place][index] === id);
      return begins ? sum + share : sum;
    }, 0);
  const masses = Array.from({ length: ids.length + 1 }, (_, length) => massOf(length));
  if (masses.at(-1) === 0) return null;
  return ids.map((_, index) => Math.min(0, Math.log(masses[index + 1] / masses[index])));
}

/** The beginning of all answers. If a prompt ends with it, the completion goes on after it. */
const BEGIN = 'lr =';
export const begunIn = (prompt) => (prompt.endsWith(BEGIN) ? BEGIN : '');

/** The index of an answer among all; −1 for any other text. */
export const placeOf = (text) => ANSWERS.findIndex((answer) => answer === text || answer === BEGIN + text);

/** One completion; the same for the same seed and place, whatever else is requested. */
export function draw(logits, { seed, place, most, begun = '' }) {
  const random = parseInt(sha256(`${seed}/${place}`).slice(0, 12), 16) / 2 ** 48;
  const shares = softmax(logits);
  let chosen = 0;
  for (let sum = shares[0]; sum < random && chosen < shares.length - 1; sum += shares[chosen]) chosen += 1;
  const whole = [...idsOf(ANSWERS[chosen].slice(begun.length)), END];
  const ids = whole.slice(0, most);
  return { ids, logprobs: logprobsOf(ids, logits), finish: ids.length < whole.length ? 'length' : 'stop' };
}

export const promptOf = (messages) =>
  `${messages.map(({ role, content }) => `<${role}>${content}\n`).join('')}<assistant>`;
