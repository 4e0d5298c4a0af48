// Functions that the scripts share. No dependencies: they run before any package is installed.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './sources.mjs';

/** Prints progress for people. With --json, standard output is for machines, so that progress goes to stderr. */
const tell = process.argv.includes('--json') ? console.error : console.log;

/** Descriptor for npm's standard output, which is for people. */
const STDERR = 2;

export { root };

/** Ends the process with an instruction if Node is too old. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 3)) return;
  console.error(
    `Expected Node 20.3 or newer, this is ${process.versions.node}. Install a newer one: https://nodejs.org`,
  );
  process.exit(1);
}

/** Returns the reason to install packages; null if the installed packages match the lock file. */
export function whyInstall() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return 'no packages yet';
  const have = JSON.parse(readFileSync(installed, 'utf8')).packages;
  const want = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  for (const [path, { version, optional, devOptional, extraneous, os, cpu, link }] of Object.entries(want)) {
    if (path === '' || link || extraneous) continue;
    const installedVersion = have[path]?.version;
    // A missing optional package is mostly for another platform.
    if (installedVersion === undefined && (optional || devOptional || os || cpu)) continue;
    if (installedVersion !== version)
      return `${path.replace('node_modules/', '')} is ${installedVersion ?? 'missing'}, wanted ${version}`;
    if (!existsSync(join(root, path))) return `${path} is gone`;
  }
  return null;
}

/** Installs the packages if some are missing or old, and prints progress every ten seconds. */
export async function install() {
  const why = whyInstall();
  if (why === null) return;
  tell(`· installing packages (${why})`);
  const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const options = ['--no-audit', '--no-fund', '--loglevel=error', '--include=dev', '--include=optional'];
  // An update does not change package-lock.json, and keeps files that a running worker still reads.
  const update = () => run([...npm, 'install', '--no-save', ...options], { stdio: ['inherit', STDERR, 'inherit'] });
  // A clean install is exact, but refuses a lock file that lacks an entry, even one for another platform.
  const cleanInstall = () => run([...npm, 'ci', ...options], { stdio: ['inherit', STDERR, 'ignore'] });
  const began = Date.now();
  await withProgress('installing packages', () =>
    existsSync(join(root, 'node_modules')) ? update() : cleanInstall().catch(update),
  );
  tell(`✓ packages installed in ${Math.round((Date.now() - began) / 1000)} s`);
}

/** Error codes of a clone that this user may not write to. */
const READ_ONLY = ['EACCES', 'EPERM', 'EROFS'];
const isBuilt = () =>
  ['cli/main.js', 'workflow-bundle.js', 'trial-bundle.js', 'worker-bundle.js'].every((name) =>
    existsSync(join(root, 'dist', name)),
  );

/** Brings dist/ up to date, and prints progress. */
export async function buildWithProgress() {
  const { build } = await import('./build.mjs');
  try {
    const done = await withProgress('building', () => build({ tell: (step) => tell(`· ${step}`) }));
    tell(`✓ ${done}`);
  } catch (error) {
    // A clone that this user may not write to still runs if it was built before.
    if (!READ_ONLY.includes(error.code) || !isBuilt()) throw error;
    console.error(`! dist/ cannot be brought up to date (${error.message}): this runs code older than the sources`);
  }
}

/** Runs long work, and prints every ten seconds that it continues. `activity`: its name, such as `building`. */
async function withProgress(activity, work) {
  const began = Date.now();
  const timer = setInterval(() => tell(`· still ${activity} (${Math.round((Date.now() - began) / 1000)} s)`), 10_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Runs a command in the clone with this terminal. Throws if its exit code is not 0. */
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

/** Runs the command line in this process instead of a child, so that the terminal's Ctrl-C arrives once. */
export async function perpetua(...args) {
  const main = join(root, 'dist', 'cli', 'main.js');
  process.argv.splice(1, process.argv.length, main, ...args);
  await import(main);
}
