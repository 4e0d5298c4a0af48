// Answers the evaluator with the trained model, in JSON lines. Immutable: all predictions come from model.mjs.
//   in  {"context": ["…", …]}  the text so far, one string per stream       → out {"probabilities": [[…], …]}
//   in  {"next": "…"}          the next character of each stream            → out {"probabilities": [[…], …]}
//   in  {"done": true}         no more questions follow
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { encode } from './data.mjs';

// Only answers go to stdout, even while model.mjs is loaded.
console.log = console.info = console.debug = console.error;
const { load } = await import('./model.mjs');

const model = load(readFileSync('model.bin'));
let streams = [];

function answer() {
  const rows = streams.map((stream) => Array.from(stream.probabilities(), (p) => Number(p.toPrecision(5))));
  process.stdout.write(`${JSON.stringify({ probabilities: rows })}\n`);
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.done) break;
  if (message.context) streams = message.context.map(() => model.stream());
  const seen = message.context ?? message.next;
  streams.forEach((stream, i) => {
    for (const symbol of encode(seen[i])) stream.see(symbol);
  });
  answer();
}
process.stdin.destroy();
