// Evaluates the version in force of a research that has ended, on a stack of its own, which it stops again:
//   node scripts/evaluate-last.mjs RESEARCH SAMPLES SEED
// A repeat prints the same result without new runs. The servers print to stderr, the result to stdout.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './sources.mjs';

const [research, samples, seed] = process.argv.slice(2);
const main = join(root, 'dist', 'cli', 'main.js');
const START_MS = 120_000;

/** Starts a command of Perpetua. Ctrl-C reaches it through the terminal. */
const start = (args, stdio) => spawn(process.execPath, [main, ...args], { stdio });

/** Runs a command to its end; resolves with its exit code, and with its output if `output` is `pipe`. */
async function perpetua(args, output = 'inherit') {
  const child = start(args, ['ignore', output, output === 'pipe' ? 'ignore' : 'inherit']);
  let text = '';
  child.stdout?.on('data', (chunk) => (text += chunk));
  const [code] = await once(child, 'close');
  return { code, text };
}

/** The status of the research; null if the stack ended or did not answer in time. */
async function awaitStatus(servers) {
  const until = Date.now() + START_MS;
  while (Date.now() < until && servers.exitCode === null) {
    const { code, text } = await perpetua(['status', research, '--json'], 'pipe');
    if (code === 0) return JSON.parse(text);
    await sleep(1000);
  }
  return null;
}

const servers = start(['up', '--no-demo', '--no-dashboard'], ['ignore', 'ignore', 'inherit']);
const ended = once(servers, 'close');
// The terminal sends Ctrl-C to the commands, too: this process waits until they have ended.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => servers.kill('SIGTERM'));
try {
  const status = await awaitStatus(servers);
  const version = status?.learning?.version ?? 0;
  if (status === null) {
    console.error(`✗ Expected \`perpetua status ${research}\` to answer within ${START_MS / 1000} s, got no answer`);
    process.exitCode = 1;
  } else if (version === 0) console.error(`· ${research} has learnt no version that could be evaluated`);
  else {
    console.log(`· evaluating version ${version}, the last one, with ${samples} samples and fresh seeds`);
    const words = ['policy', 'eval', research, String(version), '--samples', samples, '--seed', seed];
    const { code } = await perpetua(words);
    process.exitCode = code ?? 1;
  }
} finally {
  servers.kill('SIGINT');
  await ended;
}
