// Scores artefacts/agent.json: { prompt, settings }, both texts. Callers are drawn with PERPETUA_SEED. The result is
// one JSON object on the file descriptor PERPETUA_RESULT_FD (3 if unset).
// Exit codes: 0 scored, 3 the candidate is at fault (stderr has the reason), any other is this program's fault.
import { readFileSync, writeSync } from 'node:fs';
import { createAgent, PromptError, readPrompt, readSettings } from './agent.mjs';
import { casesOf, simulate } from './simulate.mjs';

function refuse(why) {
  writeSync(2, `${why}\n`);
  process.exit(3);
}

function read() {
  try {
    const { prompt, settings } = JSON.parse(readFileSync('artefacts/agent.json', 'utf8')) ?? {};
    if (typeof prompt === 'string' && typeof settings === 'string') return { prompt, settings };
  } catch (error) {
    return refuse(`expected JSON in agent.json: ${error.message}`);
  }
  return refuse('expected { prompt, settings } in agent.json, both texts');
}

function agentOf({ prompt, settings }) {
  try {
    return createAgent(readPrompt(prompt), readSettings(settings));
  } catch (error) {
    if (error instanceof PromptError) return refuse(error.message);
    throw error;
  }
}

const agent = agentOf(read());
const calls = simulate(agent, process.env.PERPETUA_SEED ?? '1');
const share = (list) => list.filter(({ isSuccess }) => isSuccess).length / list.length;
const kinds = Object.fromEntries(Object.entries(calls).map(([kind, list]) => [kind, share(list)]));
const success = Object.values(kinds).reduce((sum, value) => sum + value, 0) / Object.keys(kinds).length;
const result = { success, ...kinds, words: agent.words, notes: casesOf(calls) };
writeSync(Number(process.env.PERPETUA_RESULT_FD ?? 3), `${JSON.stringify(result)}\n`);
