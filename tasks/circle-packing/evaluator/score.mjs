// Scores artefacts/circles.json: [[x, y, r], …]. It reads only data from a run, never code.
import { readFileSync, writeSync } from 'node:fs';
import { problemOf, sumOf } from './judge.mjs';

/** Best of 40 runs of a plain multistart descent (README.md), with the seeds 1001 to 1040. */
const FLOOR = 2.635516343425312;
const NOTES = `floor of plain multistart ${FLOOR}, best published value 2.6359830853`;


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
const result = JSON.stringify({ sum, beyondFloor: sum - FLOOR, notes: NOTES });
writeSync(Number(process.env.PERPETUA_RESULT_FD ?? 3), `${result}\n`);
