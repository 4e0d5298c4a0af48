// `npm run demo:learn`: goes from a clone to a policy that learns, with a line for each update. Arguments go to
// `perpetua up`.
import { join } from 'node:path';
import { buildWithProgress, install, perpetua, requireNode, root } from './lib.mjs';

requireNode();
try {
  await install();
  await buildWithProgress();
  await installTrainer();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
await perpetua('up', '--task', 'lr-knob', '--until-ended', ...process.argv.slice(2));

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
