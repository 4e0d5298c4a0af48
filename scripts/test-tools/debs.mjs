// Unpacks Debian packages for the tests under .perpetua/test-tools: without root, and without changes to the machine.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib.mjs';

const tools = join(root, '.perpetua', 'test-tools');
const LIBRARIES = ['lib', 'usr/lib'];
/** Subfolders of an architecture's library folder: libpulse has a part of itself in `pulseaudio`. */
const SUBFOLDERS = ['', 'pulseaudio'];

/** Folder of an unpacked tool. */
export const folderOf = (tool) => join(tools, tool);

/**
 * Calls `fill` with a folder for downloads and a target folder for their contents. The target becomes the tool's
 * folder, whole or not at all. Stores the reason of a failure for `failureOf`.
 */
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

/** Reason why the last attempt to get a tool failed, in brackets; empty if none failed. */
export function failureOf(tool) {
  const failure = join(tools, `${tool}-failure`);
  return existsSync(failure) ? ` (${readFileSync(failure, 'utf8').trim()})` : '';
}

/** Downloads packages; with `missing`, also their dependencies that this machine lacks, which are many megabytes. */
export function download(packages, folder, { missing = false } = {}) {
  // If the machine has no package lists, uses lists in a folder of its own, which needs no root.
  const paths = ['lists', 'cache', 'cache/archives/partial', 'lists/partial'].map((name) => join(folder, '..', name));
  for (const path of paths) mkdirSync(path, { recursive: true });
  const options = ['-o', `Dir::State::lists=${paths[0]}`, '-o', `Dir::Cache=${paths[1]}`, '-o', 'Debug::NoLocking=1'];
  const timeout = missing ? 600_000 : 120_000;
  const get = (given) => {
    const names = missing ? missingFor(packages, given) : packages;
    if (names.length === 0) return { status: 1, stderr: 'apt-get install does not know what to install' };
    return apt([...given, 'download', ...names], { cwd: folder, timeout });
  };
  if (get([]).status === 0) return;
  if (apt([...options, 'update']).status !== 0)
    throw new Error(`apt-get download ${packages.join(' ')} failed, and so did apt-get update`);
  const result = get(options);
  if (result.status !== 0)
    throw new Error(`apt-get download: ${result.error?.message ?? result.stderr.trim().slice(-300)}`);
}

/** Lists the packages and their dependencies that this machine lacks. */
function missingFor(packages, options) {
  const { stdout } = apt([...options, '--simulate', '--no-install-recommends', 'install', ...packages]);
  return [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name);
}

const apt = (words, options = { timeout: 120_000 }) =>
  spawnSync('apt-get', ['-qq', ...words], { encoding: 'utf8', ...options });

/** Unpacks a program's package, with the packages of libraries that this machine lacks. */
export function fillProgram({ downloads, target }, { debPackage, program }) {
  download([debPackage], downloads);
  unpackAll(downloads, target);
  const path = join(target, program);
  if (lacksLibraries(path, target)) {
    download(librariesNeeded(downloads), downloads);
    unpackAll(downloads, target);
  }
  const lacking = lacksLibraries(path, target);
  if (lacking) throw new Error(`${program} lacks libraries: ${lacking}`);
}

function librariesNeeded(downloads) {
  const [deb] = readdirSync(downloads);
  const depends = spawnSync('dpkg-deb', ['-f', join(downloads, deb), 'Depends'], { encoding: 'utf8' }).stdout;
  return depends.split(/[,|]/).flatMap((entry) => /^\s*(?!libc6)(lib\S+)/.exec(entry)?.[1] ?? []);
}

export function unpackAll(downloads, target) {
  for (const name of readdirSync(downloads)) {
    const done = spawnSync('dpkg', ['-x', join(downloads, name), target], { encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`dpkg -x ${name}: ${done.stderr ?? done.error?.message}`);
  }
}

/** Libraries that a program finds neither in the unpacked folder nor on the machine, in words; empty: none. */
export function lacksLibraries(program, target) {
  const env = { ...process.env, LD_LIBRARY_PATH: librariesOf(target) };
  const { stdout } = spawnSync('ldd', [program], { encoding: 'utf8', env });
  return (stdout.match(/^.*not found$/gm) ?? []).map((line) => line.trim()).join(', ');
}

/** Library folders of an unpacked tool, as a search path. */
export function librariesOf(folder) {
  const found = LIBRARIES.map((name) => join(folder, name)).filter((path) => existsSync(path));
  const inside = found.flatMap((path) =>
    readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name.includes('-linux-'))
      .flatMap((entry) => SUBFOLDERS.map((name) => join(path, entry.name, name))),
  );
  return [...inside.filter((path) => existsSync(path)), ...found].join(':');
}
