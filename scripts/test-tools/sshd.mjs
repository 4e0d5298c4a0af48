// Gets a real sshd for the tests, without root: the machine's own, else Debian's package, unpacked under
// .perpetua/test-tools.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { download, failureOf, folderOf, lacksLibraries, librariesOf, unpack, unpackAll } from './debs.mjs';

const SSHD = join('usr', 'sbin', 'sshd');
const kept = folderOf('sshd');

/** Finds the tests' sshd: its path and, if it was unpacked, its libraries; or the reason why there is none. */
export function findSshd() {
  for (const path of ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd']) if (existsSync(path)) return { path };
  const path = join(kept, SSHD);
  return existsSync(path) ? { path, folder: kept, libraryPath: librariesOf(kept) } : { reason: whyNot() };
}

/** Gets an sshd if there is none. Returns findSshd's result; a failure's reason is stored for the tests. */
export function getSshd({ tell = () => {} } = {}) {
  const found = findSshd();
  if (found.path) return found;
  tell('getting an sshd for the tests');
  unpack('sshd', fill);
  return findSshd();
}

const whyNot = () => `no sshd here, and apt cannot get one${failureOf('sshd')}: install openssh-server`;

function fill({ downloads, target }) {
  download(['openssh-server'], downloads);
  unpackAll(downloads, target);
  const sshd = join(target, SSHD);
  if (lacksLibraries(sshd, target)) {
    download(librariesNeeded(downloads), downloads);
    unpackAll(downloads, target);
  }
  if (lacksLibraries(sshd, target)) throw new Error(`sshd lacks libraries: ${lacksLibraries(sshd, target)}`);
}

function librariesNeeded(downloads) {
  const [deb] = readdirSync(downloads);
  const depends = spawnSync('dpkg-deb', ['-f', join(downloads, deb), 'Depends'], { encoding: 'utf8' }).stdout;
  return depends.split(/[,|]/).flatMap((entry) => /^\s*(?!libc6)(lib\S+)/.exec(entry)?.[1] ?? []);
}
