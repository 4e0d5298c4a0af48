// Answers with the public generator of the language, like a candidate that pastes it:
// node paster.mjs EVALUATOR-FOLDER
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const load = (file) => import(pathToFileURL(`${process.argv[2]}/${file}`).href);
const { START, tokensOf } = await load('grammar.mjs');
const { ALPHABET } = await load('lexicon.mjs');
const EVEN = 1 / ALPHABET.length;

/** Follows the text from the first full stop on, as long as it fits the language. */
function follower() {
  let [now, partial, last] = [null, '', ''];
  return {
    see(symbol) {
      if (now === null && last + symbol === '. ') [now, partial] = [START, ''];
      else if (now !== null) {
        partial += symbol;
        const token = tokensOf(now).get(partial);
        if (token) [now, partial] = [token.next(now), ''];
        else if (![...tokensOf(now).keys()].some((text) => text.startsWith(partial))) now = null;
      }
      last = symbol;
    },
    probabilities() {
      const row = new Array(ALPHABET.length).fill(now === null ? EVEN : 0.05 * EVEN);
      if (now === null) return row;
      const fitting = [...tokensOf(now).values()].filter(({ text }) => text.startsWith(partial));
      const all = fitting.reduce((sum, { weight }) => sum + weight, 0);
      for (const { text, weight } of fitting) row[ALPHABET.indexOf(text[partial.length])] += (0.95 * weight) / all;
      return row;
    },
  };
}

let streams = [];
for await (const line of createInterface({ input: process.stdin })) {
  const { done, context, next } = JSON.parse(line);
  if (done) break;
  if (context) streams = context.map(follower);
  streams.forEach((stream, i) => {
    for (const symbol of (context ?? next)[i]) stream.see(symbol);
  });
  console.log(JSON.stringify({ probabilities: streams.map((stream) => stream.probabilities()) }));
}
process.stdin.destroy();
