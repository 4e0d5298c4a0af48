// The held-out text: many independent streams, drawn from the seed of the trial.
import { ALPHABET } from './lexicon.mjs';
import { randomOf } from './random.mjs';
import { createSource } from './source.mjs';

const STREAMS = 160;
/** Characters of context before the first question. */
const CONTEXT = 48;

const advance = (source, count) => Array.from({ length: count }, () => ALPHABET[source.next()]).join('');

/** Draws streams that begin anywhere in a sentence, each with the text just before. */
export function drawStreams(seed) {
  return Array.from({ length: STREAMS }, (_, i) => {
    const random = randomOf(`held-out/${seed}/${i}`);
    const source = createSource(random);
    advance(source, 100 + Math.floor(random() * 100));
    return { source, context: advance(source, CONTEXT) };
  });
}
