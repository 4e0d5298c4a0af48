// `npm run test:trainer`: builds the environment of the trainer's tests where it is missing, runs pytest, then the tests of
// the policy server's contract on the real trainer, and ends with the counts. --if-possible: a machine without a fitting
// interpreter or with too little room, or to which the package index does not give all of it in time, skips them, which is
// counted.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildTold, install, requireNode, root } from './lib.mjs';

const SKIP = '--if-possible';
/** Time for the installation where the tests may be skipped: a gate has half an hour in all. */
const INSTALL_MS = 6 * 60_000;
const NOT_HERE = ['NoInterpreterError', 'NoSpaceError', 'IndexUnreachableError', 'TimeoutError'];
const source = join(root, 'trainer');
const load = (path) => import(join(root, 'dist', path));

async function main(words) {
  requireNode();
  await install();
  await buildTold();
  const place = await environment(words.includes(SKIP));
  if (place === null) return console.log('0 passed, 0 failed, 1 skipped');
  const folder = mkdtempSync(join(tmpdir(), 'perpetua-trainer-'));
  try {
    const counts = [await pytest(place.python, { folder, words: words.filter((word) => word !== SKIP) })];
    counts.push(await contract(folder));
    const [passed, failed, skipped] = [0, 1, 2].map((index) => counts.reduce((sum, one) => sum + one[index], 0));
    console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
    process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The tests' environment; null where it cannot be had and need not be. */
async function environment(maySkip) {
  const [{ loadConfig }, { installTrainer }] = await Promise.all([
    load('config/load.js'),
    load('infra/trainer/install.js'),
  ]);
  const tell = (line) => console.log(`· ${line}`);
  const signal = AbortSignal.timeout(INSTALL_MS);
  try {
    const limit = maySkip ? { signal } : {};
    return await installTrainer('test', { ...loadConfig(), tell, ...limit });
  } catch (caught) {
    const error = maySkip && signal.aborted ? signal.reason : caught;
    if (!maySkip || !NOT_HERE.includes(error.name)) throw error;
    console.log(`✗ tests of the trainer are skipped: ${error.message}`);
    return null;
  }
}

/** Runs a command with our terminal; the code that it ended with. */
const ended = ([command, ...args], options) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options });
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });

/** Passed, failed and skipped tests. */
async function pytest(python, { folder, words }) {
  const report = join(folder, 'pytest.xml');
  const env = { ...process.env, PYTHONPATH: source };
  const code = await ended([python, '-m', 'pytest', `--junitxml=${report}`, ...words], { cwd: source, env });
  const [, attributes] = /<testsuite ([^>]*)>/.exec(readFileSync(report, 'utf8')) ?? [];
  if (attributes === undefined) throw new Error(`expected the counts of pytest in ${report}, found none`);
  const of = (name) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(attributes)?.[1] ?? 0);
  const failed = of('failures') + of('errors');
  return [of('tests') - failed - of('skipped'), Math.max(failed, code === 0 ? 0 : 1), of('skipped')];
}

async function contract(folder) {
  const report = join(folder, 'vitest.json');
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const words = [process.execPath, vitest, 'run', '--config', 'test/suites/trainer.config.ts', ...reporters];
  const code = await ended(words, { cwd: root });
  const found = JSON.parse(readFileSync(report, 'utf8'));
  const failed = Math.max(found.numFailedTests, code === 0 ? 0 : 1);
  return [found.numPassedTests, failed, found.numPendingTests + found.numTodoTests];
}

await main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
