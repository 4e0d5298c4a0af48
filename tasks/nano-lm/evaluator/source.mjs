// A stream of text with the true distribution of each next character.
import { keyOf, START, tokensOf } from './grammar.mjs';
import { ALPHABET } from './lexicon.mjs';
import { draw } from './random.mjs';

const tables = new Map();

/** The table of a state: beginning of the current token → probabilities of the next character. */
function tableOf(now) {
  const key = keyOf(now);
  let table = tables.get(key);
  if (table) return table;
  table = new Map();
  for (const { text, weight } of tokensOf(now).values()) {
    for (let i = 0; i < text.length; i++) {
      const said = text.slice(0, i);
      if (!table.has(said)) table.set(said, new Float64Array(ALPHABET.length));
      table.get(said)[ALPHABET.indexOf(text[i])] += weight;
    }
  }
  for (const row of table.values()) {
    const sum = row.reduce((a, b) => a + b, 0);
    for (let i = 0; i < row.length; i++) row[i] /= sum;
  }
  tables.set(key, table);
  return table;
}

/** An endless text. `truth()` returns the distribution of the next character; `next()` draws it and advances. */
export function createSource(random) {
  let now = START;
  let said = '';
  const truth = () => tableOf(now).get(said);
  const next = () => {
    const symbol = draw(random, truth());
    said += ALPHABET[symbol];
    const token = tokensOf(now).get(said);
    if (token) [now, said] = [token.next(now), ''];
    return symbol;
  };
  return { truth, next };
}

/** A text of `length` characters. */
export function textOf(random, length) {
  const source = createSource(random);
  return Array.from({ length }, () => ALPHABET[source.next()]).join('');
}
