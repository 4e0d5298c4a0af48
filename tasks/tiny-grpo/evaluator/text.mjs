// How the text of a problem becomes tokens, and a chain of actions an answer. Immutable: the evaluator has a copy.

/** Actions on the count: none, or plus, minus or times the number of a sentence. */
export const ACTIONS = ['skip', 'add', 'subtract', 'multiply'];

/**
 * Returns a function that splits a text into its sentences:
 * {tokens: [subject, verb, item, receiver, asked person, asked item], number}. A token is an index into `words`;
 * `words.length` stands for "no receiver". The form is fixed: "subject verb number item [to receiver] ." for each
 * sentence, then "question person item ?".
 */
export function readerOf(words) {
  const tokens = new Map(words.map((word, i) => [word, i]));
  return (text) => {
    const sentences = text.split(' .').map((sentence) => sentence.trim().split(' '));
    const [, person, item] = sentences.pop();
    return sentences.map(([subject, verb, number, thing, , receiver]) => ({
      tokens: [subject, verb, thing, receiver, person, item].map((word) => tokens.get(word) ?? words.length),
      number: Number(number),
    }));
  };
}

/** The answer of a chain: one action for each sentence, from a count of 0. */
export function answerOf(steps, actions) {
  let count = 0;
  steps.forEach(({ number }, i) => {
    if (actions[i] === 1) count += number;
    if (actions[i] === 2) count -= number;
    if (actions[i] === 3) count *= number;
  });
  return count;
}
