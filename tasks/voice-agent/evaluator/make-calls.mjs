// Writes the sample of calls for the workspace:   node make-calls.mjs > ../workspace/calls.txt
// It has only ways to say things that are not held out.
import { createCall, play } from './call.mjs';
import { RIGHT } from './phrases.mjs';
import { randomOf } from './random.mjs';
import { KINDS } from './scripts.mjs';

const COUNT = 10;

/** Understands everything. */
const clerk = {
  words: 0,
  settings: { ask: 2, order: 'name-last', readback: 'end', greeting: 'short' },
  decide: (_, intent) => RIGHT[intent],
};

const texts = Object.entries(KINDS).flatMap(([kind, draw]) =>
  Array.from({ length: COUNT }, (_, i) => {
    const random = randomOf(`sample/${kind}/${i}`);
    const { script } = draw(random, i);
    const call = createCall(random, clerk, { isHeldOut: false, patience: Infinity });
    play(call, script);
    const lines = call.said.flatMap(({ text, intent }) => [`caller: ${text}`, `agent: ${RIGHT[intent]}`]);
    return [`# ${kind}`, ...lines].join('\n');
  }),
);
process.stdout.write(`${texts.join('\n\n')}\n`);
