// Scores a candidate that answers over stdin and stdout: node evaluate.mjs
//   asks  {"context": ["…", …]}, then {"next": "…"} once a round, then {"done": true}
//   reads {"probabilities": [[…], …]}: one row per stream, one number per character of the alphabet
// The text is drawn with PERPETUA_SEED. The result is one JSON object, in bits per character, on the file descriptor
// PERPETUA_RESULT_FD (3 if unset).
// Exit codes: 0 scored, 3 the candidate broke the protocol (stderr has the reason), any other is this program's fault.
import { writeSync } from 'node:fs';
import { createDialogue, ProtocolError } from './dialogue.mjs';
import { drawStreams } from './held-out.mjs';
import { ALPHABET } from './lexicon.mjs';
import { ENTROPY_RATE } from './rate.mjs';
import { excessBits, floored, problemOf } from './score.mjs';

const ROUNDS = 96;
const ROUND_SECONDS = Number(process.argv[2] ?? 20);

const streams = drawStreams(process.env.PERPETUA_SEED ?? '1');
const dialogue = createDialogue({ input: process.stdin, output: process.stdout, seconds: ROUND_SECONDS });

/** The rows of an answer. Throws a ProtocolError unless each row is a distribution. */
function rowsOf(answer, round) {
  const rows = answer?.probabilities;
  if (!Array.isArray(rows)) throw new ProtocolError(`round ${round}: expected {"probabilities": [[…], …]}`);
  if (rows.length !== streams.length)
    throw new ProtocolError(`round ${round}: expected ${streams.length} rows of probabilities, got ${rows.length}`);
  rows.forEach((row, i) => {
    const problem = problemOf(row, ALPHABET.length);
    if (problem) throw new ProtocolError(`round ${round}, stream ${i}: ${problem}`);
  });
  return rows;
}

async function evaluate() {
  let excess = 0;
  let seen = 0;
  let question = { context: streams.map(({ context }) => context) };
  for (let round = 1; round <= ROUNDS; round++) {
    const rows = rowsOf(await dialogue.ask(question), round);
    const next = streams.map(({ source }, i) => {
      const row = floored(rows[i]);
      excess += excessBits(source.truth(), row);
      const symbol = source.next();
      seen -= Math.log2(row[symbol]);
      return ALPHABET[symbol];
    });
    question = { next: next.join('') };
  }
  process.stdout.write('{"done": true}\n');
  const asked = streams.length * ROUNDS;
  // The entropy is known, so only the distance to it is measured. Its mean is that of `seen`, with less noise.
  const distance = Math.max(0, excess / asked);
  return { bpc: ENTROPY_RATE + distance, excess: distance, seen: seen / asked };
}

// If a candidate closes its input early, the error is reported when its answer is missing.
process.stdout.on('error', () => {});
try {
  const result = await evaluate();
  writeSync(Number(process.env.PERPETUA_RESULT_FD ?? 3), `${JSON.stringify(result)}\n`);
  process.exit(0);
} catch (error) {
  console.error(error instanceof ProtocolError ? error.message : error);
  process.exit(error instanceof ProtocolError ? 3 : 1);
}
