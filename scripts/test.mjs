// `npm test`: gets what the tests need, runs them on real servers, and prints their cost and the counts last.
// `npm run test:long` and `npm run smoke` do the same for other tests. Further words go to vitest.
// `npm run test:long` without words runs a sixth of its files, chosen by the hash of the commit; `--all` runs all of them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { getBusybox } from './test-tools/busybox.mjs';
import { getChromium } from './test-tools/chromium.mjs';
import { runCounted } from './cpu.mjs';
import { buildTold, install, requireNode, root } from './lib.mjs';
import { getSshd } from './test-tools/sshd.mjs';

/** Which tests, by the first word; `tools`: with what only some of all tests need. */
const SETS = {
  all: { words: [], temporal: true, tools: true },
  long: { words: ['--config', 'test/suites/long.config.ts'], temporal: true, tools: true },
  smoke: { words: ['--config', 'test/suites/smoke.config.ts'], temporal: true, tools: false },
};

const PARTS = 6;

requireNode();
const [, , first, ...rest] = process.argv;
const named = first !== undefined && Object.hasOwn(SETS, first);
const set = named ? first : 'all';
const { words, temporal, tools } = SETS[set];
const given = named ? rest : process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'perpetua-report-'));
const report = join(folder, 'report.json');
try {
  await install();
  await buildTold();
  if (temporal) await getTemporal();
  if (tools) getTools();
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const nameRunning = join(root, 'test', 'support', 'vitest', 'name-running.ts');
  const reporters = ['--reporter=default', '--reporter=json', `--reporter=${nameRunning}`];
  const command = [
    process.execPath,
    vitest,
    'run',
    ...words,
    ...reporters,
    `--outputFile.json=${report}`,
    ...selected(),
  ];
  const began = Date.now();
  const { went, cpu, table } = await runCounted(command, folder);
  const minutes = ((Date.now() - began) / 60_000).toFixed(1);
  console.log(`\n${minutes} minutes, CPU seconds (user + system): ${cpu}.`);
  for (const line of table) console.log(line);
  process.exitCode = summarise() && went ? 0 : 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The words for vitest, with the chosen part of the long tests if no word selects others. */
function selected() {
  if (given.includes('--all')) return given.filter((word) => word !== '--all');
  if (set !== 'long' || given.length > 0) return given;
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  const commit = /^[0-9a-f]{40}/.exec(stdout ?? '')?.[0];
  if (commit === undefined) {
    console.log('· no commit to choose a part of the long tests by: all of them run');
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
  console.log(noBusybox === null ? '✓ busybox' : `✗ tests under busybox are skipped: ${noBusybox}`);
}

/** Before the tests, with progress: a build takes minutes, and a test that waits for it looks hung. */
async function getTemporal() {
  const load = (path) => import(join(root, 'dist', path));
  const { loadConfig } = await load('config/load.js');
  const { homePaths } = await load('config/paths.js');
  const { toolEnv } = await load('config/child-env.js');
  const { findTemporalCli } = await load('infra/temporal/find-cli.js');
  const { describeFind } = await load('cli/up/events.js');
  const config = loadConfig();
  let toldAt = 0;
  const cli = await findTemporalCli({
    cliPath: config.temporalCliPath,
    keptAt: homePaths(join(root, '.perpetua')).temporalCli,
    env: toolEnv(config),
    packageRoot: root,
    onProgress: (progress) => {
      const { type, text } = describeFind(progress);
      if (type === 'progress' && Date.now() - toldAt < 10_000) return;
      toldAt = Date.now();
      console.log(`· ${text}`);
    },
  });
  console.log(`✓ Temporal server ${cli.version.server} (${cli.path})`);
}

/** Prints the counts; true where something was tested and nothing failed. */
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
  // A file that does not load, or whose hooks fail, has no test that failed.
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

/** A line for each test that failed, above the counts: a long output is read from its end. */
function* failures(files) {
  for (const { name, assertionResults } of files)
    for (const { status, fullName, failureMessages } of assertionResults)
      if (status === 'failed') yield `failed: ${shortened(name)}: ${fullName}: ${headline(failureMessages)}`;
}

/** The first line of why, without colours. */
function headline(messages) {
  return stripVTControlCharacters(messages[0] ?? '').split('\n')[0];
}
