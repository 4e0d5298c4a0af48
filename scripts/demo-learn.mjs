// `npm run demo:learn`: goes from a clone to a policy that learns, with a line for each update, then to the value of
// its last version on fresh seeds. Arguments go to `perpetua up`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { buildWithProgress, install, requireNode, root } from './lib.mjs';

const TASK = 'lr-knob';
/** Samples of the evaluation, half a minute of CPU time, and the root of their seeds. */
const [SAMPLES, SEED] = ['64', 'demo'];

requireNode();
try {
  await install();
  await buildWithProgress();
  await installTrainer();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
let interrupted = false;
const main = join(root, 'dist', 'cli', 'main.js');
process.exitCode = await runChild([main, 'up', '--task', TASK, '--until-ended', ...process.argv.slice(2)]);
if (process.exitCode === 0 && !interrupted)
  process.exitCode = await runChild([join(root, 'scripts', 'evaluate-last.mjs'), TASK, SAMPLES, SEED]);

/** Runs a script with this terminal; resolves with its exit code. Ctrl-C reaches it through the terminal. */
async function runChild(args) {
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  const onInterrupt = () => (interrupted = true);
  const onTerm = () => {
    interrupted = true;
    child.kill('SIGTERM');
  };
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerm);
  try {
    const [code] = await once(child, 'close');
    return code ?? 1;
  } finally {
    process.off('SIGINT', onInterrupt).off('SIGTERM', onTerm);
  }
}

/** Installs the Python environment in which the policy runs and learns. Ctrl-C stops the installation cleanly. */
async function installTrainer() {
  const load = (path) => import(join(root, 'dist', path));
  const [{ loadConfig }, trainer] = await Promise.all([
    load('config/load.js'),
    load('infra/trainer/install-trainer.js'),
  ]);
  const interrupt = new AbortController();
  const stop = () => interrupt.abort(new Error('interrupted'));
  process.once('SIGINT', stop);
  try {
    const tell = (line) => console.log(`· ${line}`);
    const { folder, made } = await trainer.installTrainer('engine', {
      ...loadConfig(),
      tell,
      signal: interrupt.signal,
    });
    console.log(`✓ trainer ${made ? 'installed' : 'is there'} in ${folder}`);
  } finally {
    process.off('SIGINT', stop);
  }
}
