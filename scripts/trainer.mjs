// The trainer's Python environment: built by uv from the hashed lock, outside the clone, only when asked for.
// `node scripts/trainer.mjs install` builds it; `npm run test:trainer` builds the tests' one and runs pytest.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { root, run } from './lib.mjs';
import { findPython, getUv, replace, uvEnv } from './python.mjs';

const source = join(root, 'trainer');
const LOCKS = { engine: 'requirements.lock', test: 'requirements-test.lock' };
/** Measured on Linux with x86-64, where torch brings CUDA's libraries. */
const SIZE = { download: '3.1 GB', disk: '5.4 GB', bytes: 5.4e9 };
const UNITS = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
const TELL_MS = 10_000;

/** Where environments and uv are kept. */
const cache = process.env.PERPETUA_TRAINER_CACHE || join(homedir(), '.cache', 'perpetua', 'trainer');

/** Where the environment for `engine`, or for `test` with pytest and TRL, belongs, and its interpreter. */
function placeOf(kind) {
  const lock = readFileSync(join(source, LOCKS[kind]));
  const folder = join(cache, createHash('sha256').update(lock).digest('hex').slice(0, 16));
  return { folder, python: join(folder, 'bin', 'python') };
}

/** Builds the environment where it is missing; says its size first, and how far it is. Returns its interpreter's path. */
async function installTrainer(kind, tell) {
  const place = placeOf(kind);
  if (existsSync(place.python)) return place.python;
  const python = findPython();
  if (python.reason) throw new Error(python.reason);
  mkdirSync(cache, { recursive: true });
  tell(`installing the trainer: ${SIZE.download} to download, ${SIZE.disk} on disk, in ${place.folder}`);
  requireSpace(cache);
  const uv = getUv(python.path, cache);
  const temporary = `${place.folder}.${process.pid}`;
  const began = Date.now();
  try {
    const options = { env: { ...uvEnv(python.path), UV_PYTHON_DOWNLOADS: 'never' }, tell };
    await quietly([uv, 'venv', '--quiet', '--relocatable', '--python', python.path, temporary], options);
    const lock = join(source, LOCKS[kind]);
    const into = ['--python', join(temporary, 'bin', 'python'), '--require-hashes', '--compile-bytecode'];
    await quietly([uv, 'pip', 'sync', ...into, lock], options);
    // One whose interpreter is gone is of no use to anybody.
    if (existsSync(place.folder) && !existsSync(place.python)) rmSync(place.folder, { recursive: true });
    replace(temporary, place.folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  tell(`trainer installed in ${seconds(began)} (Python ${python.version})`);
  return place.python;
}

function requireSpace(folder) {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= SIZE.bytes) return;
  const free = (Number(bavail * bsize) / 1e9).toFixed(1);
  throw new Error(
    `Expected ${SIZE.disk} free in ${folder}, found ${free} GB: free some, or set PERPETUA_TRAINER_CACHE`,
  );
}

/** Runs uv, tells every ten seconds what it has downloaded; throws with its last words where it fails. */
function quietly([command, ...args], { env, tell }) {
  const began = Date.now();
  const progress = { sizes: new Map(), done: 0, words: [] };
  const timer = setInterval(() => tell(`still installing (${seconds(began)}${describe(progress)})`), TELL_MS);
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text) => text.split('\n').forEach((line) => follow(progress, line)));
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0
        ? resolve()
        : reject(new Error(`${command} ${args[0]} failed:\n${progress.words.slice(-8).join('\n')}`)),
    );
  }).finally(() => clearInterval(timer));
}

function follow(progress, line) {
  const [, name, size, unit] = /^\s*Downloading (\S+) \(([\d.]+)(\wiB)\)/.exec(line) ?? [];
  if (name) progress.sizes.set(name, Number(size) * (UNITS[unit] ?? 1));
  const finished = /^\s*Downloaded (\S+)/.exec(line)?.[1];
  if (finished) progress.done += progress.sizes.get(finished) ?? 0;
  if (line.trim() !== '' && !name && !finished) progress.words.push(line);
}

function describe({ sizes, done }) {
  const whole = [...sizes.values()].reduce((sum, one) => sum + one, 0);
  if (whole === 0) return '';
  const inGB = (bytes) => (bytes / 1e9).toFixed(1);
  return `, ${inGB(done)} of ${inGB(whole)} GB downloaded`;
}

const seconds = (began) => `${Math.round((Date.now() - began) / 1000)} s`;

async function main([verb, ...words]) {
  const tell = (step) => console.log(`· ${step}`);
  if (verb === 'install') return void (await installTrainer('engine', tell));
  if (verb !== 'test') throw new Error(`Expected install or test, got ${verb ?? 'nothing'}`);
  const python = await installTrainer('test', tell);
  await run([python, '-m', 'pytest', ...words], { cwd: source, env: { ...process.env, PYTHONPATH: source } });
}

await main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
