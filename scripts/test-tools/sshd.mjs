// Gets a real sshd for the tests, without root: the machine's own, else Debian's package, unpacked under
// .perpetua/test-tools.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { failureOf, fillProgram, folderOf, librariesOf, unpack } from './debs.mjs';

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
  unpack('sshd', (folders) => fillProgram(folders, { debPackage: 'openssh-server', program: SSHD }));
  return findSshd();
}

const whyNot = () => `no sshd here, and apt cannot get one${failureOf('sshd')}: install openssh-server`;
