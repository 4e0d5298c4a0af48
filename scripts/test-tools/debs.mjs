// Debian's packages for the tests, unpacked under .perpetua/test-tools: no root, and nothing of the machine is changed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib.mjs';

const tools = join(root, '.perpetua', 'test-tools');
const LIBRARIES = ['lib', 'usr/lib'];
/** Below the folder of a machine's libraries: a part of libpulse, which looks for it at a fixed place. */
const BELOW = ['', 'pulseaudio'];

/** Where a tool lies once it was unpacked. */
export const folderOf = (tool) => join(tools, tool);

/** Runs `fill` with a folder for packages and one to unpack them to, which then takes its place as the tool's, whole or not at all. */
export function unpack(tool, fill) {
  const temporary = `${folderOf(tool)}.${process.pid}`;
  const [downloads, target] = ['downloads', 'root'].map((name) => join(temporary, name));
  try {
    if (spawnSync('apt-get', ['--version']).error) throw new Error('no apt-get');
    mkdirSync(downloads, { recursive: true });
    fill({ downloads, target });
    rmSync(folderOf(tool), { recursive: true, force: true });
    renameSync(target, folderOf(tool));
  } catch (error) {
    mkdirSync(tools, { recursive: true });
    writeFileSync(join(tools, `${tool}-failure`), error.message);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Why the last try to get a tool failed, in brackets; empty where there was none. */
export function failureOf(tool) {
  const failure = join(tools, `${tool}-failure`);
  return existsSync(failure) ? ` (${readFileSync(failure, 'utf8').trim()})` : '';
}

/** Downloads packages, or with `missing` those that this machine would have to install for them, which are many megabytes. */
export function download(packages, folder, { missing = false } = {}) {
  // With lists of our own where the machine has none: that needs no root either.
  const own = ['lists', 'cache', 'cache/archives/partial', 'lists/partial'].map((name) => join(folder, '..', name));
  for (const path of own) mkdirSync(path, { recursive: true });
  const options = ['-o', `Dir::State::lists=${own[0]}`, '-o', `Dir::Cache=${own[1]}`, '-o', 'Debug::NoLocking=1'];
  const timeout = missing ? 600_000 : 120_000;
  const get = (given) => {
    const names = missing ? missingFor(packages, given) : packages;
    if (names.length === 0) return { status: 1, stderr: 'apt-get install does not know what to install' };
    return apt([...given, 'download', ...names], { cwd: folder, timeout });
  };
  if (get([]).status === 0) return;
  if (apt([...options, 'update']).status !== 0)
    throw new Error(`apt-get download ${packages.join(' ')} failed, and so did apt-get update`);
  const got = get(options);
  if (got.status !== 0) throw new Error(`apt-get download: ${got.error?.message ?? got.stderr.trim().slice(-300)}`);
}

/** The packages, and all that they need and this machine lacks. */
function missingFor(packages, options) {
  const { stdout } = apt([...options, '--simulate', '--no-install-recommends', 'install', ...packages]);
  return [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name);
}

const apt = (words, options = { timeout: 120_000 }) =>
  spawnSync('apt-get', ['-qq', ...words], { encoding: 'utf8', ...options });

export function unpackAll(downloads, target) {
  for (const name of readdirSync(downloads)) {
    const done = spawnSync('dpkg', ['-x', join(downloads, name), target], { encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`dpkg -x ${name}: ${done.stderr ?? done.error?.message}`);
  }
}

/** Libraries that a program does not find, neither in what was unpacked nor on the machine; in words. */
export function lacksLibraries(program, target) {
  const env = { ...process.env, LD_LIBRARY_PATH: librariesOf(target) };
  const { stdout } = spawnSync('ldd', [program], { encoding: 'utf8', env });
  return (stdout.match(/^.*not found$/gm) ?? []).map((line) => line.trim()).join(', ');
}

/** The folders of libraries in what was unpacked. */
export function librariesOf(folder) {
  const found = LIBRARIES.map((name) => join(folder, name)).filter((path) => existsSync(path));
  const inside = found.flatMap((path) =>
    readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() && entry.name.includes('-linux-') ? BELOW.map((name) => join(path, entry.name, name)) : [],
    ),
  );
  return [...inside.filter((path) => existsSync(path)), ...found].join(':');
}
