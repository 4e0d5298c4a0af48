// Scores artefacts/circles.json: [[x, y, r], …]. It reads only data from a run, never code.
import { readFileSync, writeSync } from 'node:fs';
import { problemOf, sumOf } from './judge.mjs';


// Exit code 3 means that the candidate is at fault, not the evaluator; stderr has the reason.
function refuse(why) {
  writeSync(2, `${why}\n`);
  process.exit(3);
}
function read(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    return refuse(`expected JSON in circles.json: ${error.message}`);
  }
}

const circles = read(readFileSync('artefacts/circles.json', 'utf8'));
const problem = problemOf(circles);
if (problem) refuse(problem);
const sum = sumOf(circles);
const result = JSON.stringify({ sum });
writeSync(Number(process.env.PERPETUA_RESULT_FD ?? 3), `${result}\n`);
