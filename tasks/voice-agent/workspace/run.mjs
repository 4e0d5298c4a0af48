// Checks prompt.txt and settings.yaml, tries them on the calls of calls.txt, and leaves both as agent.json:
//   node run.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { createAgent, PromptError, readPrompt, readSettings } from './agent.mjs';

const read = (path) => readFileSync(path, 'utf8');
const [prompt, settings, calls] = ['prompt.txt', 'settings.yaml', 'calls.txt'].map(read);
try {
  const agent = createAgent(readPrompt(prompt), readSettings(settings));
  const turns = [...calls.matchAll(/^caller: (.*)\nagent: (\w+)$/gm)].map(([, text, act]) => ({ text, act }));
  const right = turns.filter(({ text, act }) => agent.decide(text) === act).length;
  console.log(`${agent.words} words; right in ${right} of ${turns.length} turns of calls.txt`);
} catch (error) {
  if (!(error instanceof PromptError)) throw error;
  console.error(error.message);
  process.exit(1);
}
writeFileSync('agent.json', JSON.stringify({ prompt, settings }));
