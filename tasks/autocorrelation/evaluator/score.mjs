// Scores artefacts/heights.json: [h, …]. It reads only data from a run, never code.
import { readFileSync, writeSync } from 'node:fs';
import { boundOf, problemOf } from './judge.mjs';

// Exit code 3 means that the candidate is at fault, not the evaluator; stderr has the reason.
function refuse(why) {
  writeSync(2, `${why}\n`);
  process.exit(3);
}
function read(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    return refuse(`expected JSON in heights.json: ${error.message}`);
  }
}

const heights = read(readFileSync('artefacts/heights.json', 'utf8'));
const problem = problemOf(heights);
if (problem) refuse(problem);
const bound = boundOf(heights);
const result = JSON.stringify({ bound });
writeSync(Number(process.env.PERPETUA_RESULT_FD ?? 3), `${result}\n`);
