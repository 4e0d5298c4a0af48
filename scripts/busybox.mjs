// busybox for the tests, which run our scripts under its shell, too: the machine's own, else Debian's package. It has to lie
// where sandboxed runs see it, so only root can get it.
import { spawnSync } from 'node:child_process';

const INSTALL = ['install', '--yes', '--no-install-recommends', 'busybox'];

/** Whether there is one. */
export const hasBusybox = () => spawnSync('busybox', ['true']).status === 0;

/** Gets one where there is none; returns why that went wrong, null where there is one. The tests skip without it. */
export function getBusybox({ tell = () => {} } = {}) {
  if (hasBusybox()) return null;
  if (process.getuid?.() !== 0) return 'no busybox here, and only root can install one';
  tell('installing busybox for the tests');
  let got = apt(INSTALL);
  // A machine without lists of packages, or with old ones.
  if (got.status !== 0 && apt(['update']).status === 0) got = apt(INSTALL);
  if (hasBusybox()) return null;
  return `no busybox here, and apt-get could not install one: ${got.error?.message ?? got.stderr.trim().slice(-300)}`;
}

const apt = (words) =>
  spawnSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=60', ...words], {
    encoding: 'utf8',
    timeout: 120_000,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
