// Gets a real pgbouncer for the tests, without root: the machine's own, else Debian's package, unpacked under
// .perpetua/test-tools.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { failureOf, fillProgram, folderOf, librariesOf, unpack } from './debs.mjs';

const PROGRAM = join('usr', 'sbin', 'pgbouncer');
const kept = folderOf('pgbouncer');

/** Finds the tests' pgbouncer: its path and, if it was unpacked, its libraries; or the reason why there is none. */
export function findPgbouncer() {
  for (const path of ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer']) if (existsSync(path)) return { path };
  const path = join(kept, PROGRAM);
  if (existsSync(path)) return { path, libraryPath: librariesOf(kept) };
  return { reason: `no pgbouncer here, and apt cannot get one${failureOf('pgbouncer')}: install pgbouncer` };
}

/** Gets a pgbouncer if there is none. Returns findPgbouncer's result; a failure's reason is stored for the tests. */
export function getPgbouncer({ tell = () => {} } = {}) {
  const found = findPgbouncer();
  if (found.path) return found;
  tell('getting a pgbouncer for the tests');
  unpack('pgbouncer', (folders) => fillProgram(folders, { debPackage: 'pgbouncer', program: PROGRAM }));
  return findPgbouncer();
}
