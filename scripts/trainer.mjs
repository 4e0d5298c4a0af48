// `npm run test:trainer`: builds the environment of the trainer's tests if it is missing, and runs pytest. Then it runs
// the tests of the policy server's contract on the real trainer, and prints the counts last.
// --if-possible: skips the tests, and counts the skip, if the environment cannot be installed. Reasons: no suitable
// Python, too little room, or a package index that does not deliver all packages in time.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildWithProgress, install, requireNode, root } from './lib.mjs';

const SKIP = '--if-possible';
/** Time for the installation if the tests may be skipped: the whole CI run has half an hour. */
const INSTALL_MS = 6 * 60_000;
/** Names of errors for which the tests may be skipped. */
const SKIP_ERRORS = ['NoInterpreterError', 'NoSpaceError', 'IndexUnreachableError', 'TimeoutError'];
const source = join(root, 'trainer');
const load = (path) => import(join(root, 'dist', path));

async function main(args) {
  requireNode();
  await install();
  await buildWithProgress();
  const environment = await installEnvironment(args.includes(SKIP));
  if (environment === null) return console.log('0 passed, 0 failed, 1 skipped');
  const folder = mkdtempSync(join(tmpdir(), 'perpetua-trainer-'));
  try {
    const pytestArgs = args.filter((arg) => arg !== SKIP);
    const counts = [await runPytest(environment.python, { folder, args: pytestArgs })];
    counts.push(await runContractTests(folder));
    const [passed, failed, skipped] = [0, 1, 2].map((index) => counts.reduce((sum, count) => sum + count[index], 0));
    console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
    process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Installs the environment of the tests; null if that is impossible and the tests may be skipped. */
async function installEnvironment(maySkip) {
  const [{ loadConfig }, { installTrainer }] = await Promise.all([
    load('config/load.js'),
    load('infra/trainer/install-trainer.js'),
  ]);
  const tell = (line) => console.log(`· ${line}`);
  const signal = AbortSignal.timeout(INSTALL_MS);
  try {
    const limit = maySkip ? { signal } : {};
    return await installTrainer('test', { ...loadConfig(), tell, ...limit });
  } catch (caught) {
    const error = maySkip && signal.aborted ? signal.reason : caught;
    if (!maySkip || !SKIP_ERRORS.includes(error.name)) throw error;
    console.log(`✗ tests of the trainer are skipped: ${error.message}`);
    return null;
  }
}

/** Runs a command with this terminal. Resolves with its exit code. */
const exitCodeOf = ([command, ...args], options) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options });
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });

/** Runs pytest. Returns the numbers of passed, failed and skipped tests. */
async function runPytest(python, { folder, args }) {
  const report = join(folder, 'pytest.xml');
  const env = { ...process.env, PYTHONPATH: source };
  const code = await exitCodeOf([python, '-m', 'pytest', `--junitxml=${report}`, ...args], { cwd: source, env });
  const [, attributes] = /<testsuite ([^>]*)>/.exec(readFileSync(report, 'utf8')) ?? [];
  if (attributes === undefined) throw new Error(`expected the counts of pytest in ${report}, found none`);
  const countOf = (name) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(attributes)?.[1] ?? 0);
  const failed = countOf('failures') + countOf('errors');
  const skipped = countOf('skipped');
  return [countOf('tests') - failed - skipped, Math.max(failed, code === 0 ? 0 : 1), skipped];
}

/** Runs the tests of the policy server's contract. Returns the numbers of passed, failed and skipped tests. */
async function runContractTests(folder) {
  const report = join(folder, 'vitest.json');
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const command = [process.execPath, vitest, 'run', '--config', 'test/suites/trainer.config.ts', ...reporters];
  const code = await exitCodeOf(command, { cwd: root });
  const found = JSON.parse(readFileSync(report, 'utf8'));
  const failed = Math.max(found.numFailedTests, code === 0 ? 0 : 1);
  return [found.numPassedTests, failed, found.numPendingTests + found.numTodoTests];
}

await main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
