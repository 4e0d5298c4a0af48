// Scores artefacts/policy.json, the parameters of the policy, with the network of this folder: it answers new problems
// greedily. A run leaves numbers, and no code of it runs here.   node score.mjs
// Exit codes: 0 scored, 3 the candidate is at fault (stderr has the reason), any other is this program's fault.
import { readFileSync, writeSync } from 'node:fs';
import { WORDS } from './lexicon.mjs';
import { greedyChain, layoutOf } from './network.mjs';
import { randomOf } from './random.mjs';
import { problemOf } from './stories.mjs';
import { answerOf, readerOf } from './text.mjs';

const QUESTIONS = 4000;
const LARGEST = 1e4;

/** Why the parameters are refused, or null. */
function problemWith(parameters, size) {
  if (!Array.isArray(parameters)) return 'expected policy.json to be a list of numbers';
  if (parameters.length !== size) return `expected ${size} parameters, got ${parameters.length}`;
  const bad = parameters.findIndex((x) => typeof x !== 'number' || !Number.isFinite(x) || Math.abs(x) > LARGEST);
  if (bad < 0) return null;
  // A value that is no number may be nested too deep to be printed.
  const got = typeof parameters[bad] === 'number' ? parameters[bad] : `a value of type ${typeof parameters[bad]}`;
  return `expected numbers between -${LARGEST} and ${LARGEST}, got ${got} at ${bad}`;
}

function readParameters(size) {
  let parameters;
  try {
    parameters = JSON.parse(readFileSync('artefacts/policy.json', 'utf8'));
  } catch (error) {
    return [null, `expected policy.json to be JSON: ${error.message}`];
  }
  return [parameters, problemWith(parameters, size)];
}

function score(parameters, layout) {
  const random = randomOf(`questions/${process.env.PERPETUA_SEED ?? '1'}/${process.env.PERPETUA_TASK_SECRET ?? ''}`);
  const stepsOf = readerOf(WORDS);
  const solved = { short: 0, long: 0 };
  const asked = { short: 0, long: 0 };
  for (let i = 0; i < QUESTIONS; i++) {
    const { text, answer } = problemOf(random);
    const steps = stepsOf(text);
    const kind = steps.length <= 4 ? 'short' : 'long';
    asked[kind]++;
    if (answerOf(steps, greedyChain(parameters, layout, steps)) === answer) solved[kind]++;
  }
  return {
    accuracy: (solved.short + solved.long) / QUESTIONS,
    short: solved.short / asked.short,
    long: solved.long / asked.long,
  };
}

const layout = layoutOf(WORDS.length);
const [parameters, problem] = readParameters(layout.size);
if (problem !== null) {
  console.error(problem);
  process.exit(3);
}
writeSync(Number(process.env.PERPETUA_RESULT_FD ?? 3), `${JSON.stringify(score(parameters, layout))}\n`);
