// A real sshd for the tests, without root: the machine's own, else Debian's package unpacked under .perpetua/test-tools.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib.mjs';

const tools = join(root, '.perpetua', 'test-tools');
const kept = join(tools, 'sshd');
const failure = join(tools, 'sshd-failure');
const LIBRARIES = ['lib', 'usr/lib'];

/** Where the tests' sshd lies, and what it needs in its environment; or why there is none. */
export function findSshd() {
  for (const path of ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd']) if (existsSync(path)) return { path };
  const path = join(kept, 'usr', 'sbin', 'sshd');
  return existsSync(path) ? { path, folder: kept, libraryPath: librariesOf(kept) } : { reason: whyNot() };
}

/** Gets one where there is none. Returns what findSshd does; the reason is kept for the tests, which skip with it. */
export function getSshd({ tell = () => {} } = {}) {
  const found = findSshd();
  if (found.path) return found;
  tell('getting an sshd for the tests');
  try {
    unpack();
  } catch (error) {
    mkdirSync(tools, { recursive: true });
    writeFileSync(failure, error.message);
  }
  return findSshd();
}

function whyNot() {
  const why = existsSync(failure) ? ` (${readFileSync(failure, 'utf8').trim()})` : '';
  return `no sshd here, and none to be had from apt${why}: install openssh-server`;
}

function unpack() {
  if (spawnSync('apt-get', ['--version']).error) throw new Error('no apt-get');
  const temporary = `${kept}.${process.pid}`;
  const downloads = join(temporary, 'downloads');
  mkdirSync(downloads, { recursive: true });
  try {
    download(['openssh-server'], downloads);
    const target = join(temporary, 'root');
    unpackAll(downloads, target);
    const sshd = join(target, 'usr', 'sbin', 'sshd');
    if (lacksLibraries(sshd, target)) {
      download(librariesNeeded(downloads), downloads);
      unpackAll(downloads, target);
    }
    if (lacksLibraries(sshd, target)) throw new Error(`sshd lacks libraries: ${lacksLibraries(sshd, target)}`);
    rmSync(kept, { recursive: true, force: true });
    renameSync(target, kept);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

// With lists of our own where the machine has none: that needs no root either.
function download(packages, folder) {
  const own = ['lists', 'cache', 'cache/archives/partial', 'lists/partial'].map((name) => join(folder, '..', name));
  for (const path of own) mkdirSync(path, { recursive: true });
  const options = ['-o', `Dir::State::lists=${own[0]}`, '-o', `Dir::Cache=${own[1]}`, '-o', 'Debug::NoLocking=1'];
  if (apt([], packages, folder).status === 0) return;
  if (spawnSync('apt-get', [...options, '-qq', 'update'], { timeout: 120_000 }).status === 0) {
    const got = apt(options, packages, folder);
    if (got.status === 0) return;
    throw new Error(`apt-get download: ${got.stderr}`);
  }
  throw new Error(`apt-get download ${packages.join(' ')} failed, and so did apt-get update`);
}

const apt = (options, packages, folder) =>
  spawnSync('apt-get', [...options, '-qq', 'download', ...packages], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 120_000,
  });

function unpackAll(downloads, target) {
  for (const name of readdirSync(downloads)) {
    const done = spawnSync('dpkg', ['-x', join(downloads, name), target], { encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`dpkg -x ${name}: ${done.stderr ?? done.error?.message}`);
  }
}

function librariesNeeded(downloads) {
  const [deb] = readdirSync(downloads);
  const depends = spawnSync('dpkg-deb', ['-f', join(downloads, deb), 'Depends'], { encoding: 'utf8' }).stdout;
  return depends.split(/[,|]/).flatMap((one) => /^\s*(?!libc6)(lib\S+)/.exec(one)?.[1] ?? []);
}

function lacksLibraries(sshd, target) {
  const env = { ...process.env, LD_LIBRARY_PATH: librariesOf(target) };
  const { stdout } = spawnSync('ldd', [sshd], { encoding: 'utf8', env });
  return (stdout.match(/^.*not found$/gm) ?? []).map((line) => line.trim()).join(', ');
}

/** The folders of libraries in what was unpacked. */
function librariesOf(folder) {
  const found = LIBRARIES.map((name) => join(folder, name)).filter((path) => existsSync(path));
  const inside = found.flatMap((path) =>
    readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() && entry.name.includes('-linux-') ? [join(path, entry.name)] : [],
    ),
  );
  return [...inside, ...found].join(':');
}
