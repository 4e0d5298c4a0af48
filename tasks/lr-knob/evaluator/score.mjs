// Scores artefacts/network.json on the curve itself. It reads only data from a run, never code.
import { readFileSync, writeSync } from 'node:fs';
import { improvementOf, problemOf } from './rate.mjs';

// Exit code 3 means that the candidate is at fault, not the evaluator; stderr has the reason.
function refuse(why) {
  writeSync(2, `${why}\n`);
  process.exit(3);
}
function read(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    return refuse(`expected JSON in network.json: ${error.message}`);
  }
}

const parameters = read(readFileSync('artefacts/network.json', 'utf8'));
const problem = problemOf(parameters);
if (problem) refuse(problem);
const result = JSON.stringify({ improvement: improvementOf(parameters) });
writeSync(Number(process.env.PERPETUA_RESULT_FD ?? 3), `${result}\n`);
