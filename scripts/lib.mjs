// What start and test share. No dependency: it runs before anything is installed.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './sources.mjs';

/** Progress for people; with --json standard output is for machines. */
const tell = process.argv.includes('--json') ? console.error : console.log;

/** What npm says on standard output is for people, too. */
const STDERR = 2;

export { root };

/** Ends the process with what to do where Node is too old. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 3)) return;
  console.error(
    `Expected Node 20.3 or newer, this is ${process.versions.node}. Install a newer one: https://nodejs.org`,
  );
  process.exit(1);
}

/** Why the packages have to be installed; null where what lies there is what the lock file asks for. */
export function whyInstall() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return 'no packages yet';
  const have = JSON.parse(readFileSync(installed, 'utf8')).packages;
  const want = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  for (const [path, { version, optional, devOptional, extraneous, os, cpu, link }] of Object.entries(want)) {
    if (path === '' || link || extraneous) continue;
    const there = have[path]?.version;
    // Optional ones are for other platforms, mostly.
    if (there === undefined && (optional || devOptional || os || cpu)) continue;
    if (there !== version) return `${path.replace('node_modules/', '')} is ${there ?? 'missing'}, wanted ${version}`;
    if (!existsSync(join(root, path))) return `${path} is gone`;
  }
  return null;
}

/** Installs the packages where they are missing or old; says so every ten seconds. */
export async function install() {
  const why = whyInstall();
  if (why === null) return;
  tell(`· installing packages (${why})`);
  const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const options = ['--no-audit', '--no-fund', '--loglevel=error', '--include=dev', '--include=optional'];
  // It leaves package-lock.json as it is, and in place what a running worker still reads.
  const mend = () => run([...npm, 'install', '--no-save', ...options], { stdio: ['inherit', STDERR, 'inherit'] });
  const began = Date.now();
  await patiently('installing packages', () =>
    existsSync(join(root, 'node_modules'))
      ? mend()
      : // A clean install is exact, but refuses a lock file that lacks an entry, if only for another platform.
        run([...npm, 'ci', ...options], { stdio: ['inherit', STDERR, 'ignore'] }).catch(mend),
  );
  tell(`✓ packages installed in ${Math.round((Date.now() - began) / 1000)} s`);
}

/** Errors of a clone in which nothing may be written. */
const READ_ONLY = ['EACCES', 'EPERM', 'EROFS'];
const isBuilt = () =>
  ['cli/main.js', 'workflow-bundle.js', 'trial-bundle.js', 'worker-bundle.js'].every((name) =>
    existsSync(join(root, 'dist', name)),
  );

/** Brings dist/ up to date, and says what it does. */
export async function buildTold() {
  const { build } = await import('./build.mjs');
  try {
    const done = await patiently('building', () => build({ tell: (step) => tell(`· ${step}`) }));
    tell(`✓ ${done}`);
  } catch (error) {
    // A clone that may not be written, but was built before, still runs.
    if (!READ_ONLY.includes(error.code) || !isBuilt()) throw error;
    console.error(`! dist/ cannot be brought up to date (${error.message}): what runs is older than the sources`);
  }
}

/** Does long work, and says every ten seconds that it goes on. */
async function patiently(what, work) {
  const began = Date.now();
  const timer = setInterval(() => tell(`· still ${what} (${Math.round((Date.now() - began) / 1000)} s)`), 10_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Runs a command in the clone with our terminal; throws where it does not end with 0. */
export function run([command, ...args], options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
    child.once('error', reject);
    child.once('close', (code, signal) =>
      code === 0
        ? resolve()
        : reject(Object.assign(new Error(`${command} ${args[0] ?? ''} ended with ${signal ?? code}`), { code })),
    );
  });
}

/** Runs the command line in this process, not in a child: one process gets the terminal's Ctrl-C, once. */
export async function perpetua(...words) {
  const main = join(root, 'dist', 'cli', 'main.js');
  process.argv.splice(1, process.argv.length, main, ...words);
  await import(main);
}
