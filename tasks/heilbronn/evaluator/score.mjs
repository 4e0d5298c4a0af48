// Scores artefacts/points.json: [[u, v], …]. It reads only data from a run, never code.
import { readFileSync, writeSync } from 'node:fs';
import { areaOf, problemOf } from './judge.mjs';

// Exit code 3 means that the candidate is at fault, not the evaluator; stderr has the reason.
function refuse(why) {
  writeSync(2, `${why}\n`);
  process.exit(3);
}
function read(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    return refuse(`expected JSON in points.json: ${error.message}`);
  }
}

const points = read(readFileSync('artefacts/points.json', 'utf8'));
const problem = problemOf(points);
if (problem) refuse(problem);
const area = areaOf(points);
const result = JSON.stringify({ area });
writeSync(Number(process.env.PERPETUA_RESULT_FD ?? 3), `${result}\n`);
