// busybox for the tests, which run our scripts under its shell, too: the machine's own, else Debian's package. It has to lie
// where sandboxed runs see it, so only root can get it.
import { spawnSync } from 'node:child_process';

const PACKAGE = ['--yes', '--no-install-recommends', 'busybox'];
/** Tells the processes below why there is none, so that it is tried once. */
const REASON = 'PERPETUA_TEST_NO_BUSYBOX';

/** Why there are no tests under busybox; null where there are. */
export function whyNoBusybox() {
  if (!succeeds('true')) return 'busybox is not installed';
  // busybox-static does: its setpriv and unshare lack what ours need, whatever the host has.
  const isAlone = succeeds('sh', '-c', 'PATH=/nowhere; ls / > /dev/null 2>&1');
  return isAlone ? 'this busybox takes its own programs before those of the PATH' : null;
}

/** Gets one where there is none; returns why there is none that the tests can use. */
export function getBusybox({ tell = () => {} } = {}) {
  if (succeeds('true')) return whyNoBusybox();
  process.env[REASON] ||= install(tell) ?? '';
  return process.env[REASON] || whyNoBusybox();
}

function install(tell) {
  if (process.getuid?.() !== 0) return 'no busybox here, and only root can install one';
  tell('installing busybox for the tests');
  // Only the download may hang; an installation that is broken off would be left half done.
  let got = apt(['install', '--download-only', ...PACKAGE]);
  // A machine without lists of packages, or with old ones.
  if (got.status !== 0 && apt(['update']).status === 0) got = apt(['install', '--download-only', ...PACKAGE]);
  if (got.status === 0) got = apt(['install', ...PACKAGE], {});
  if (got.status === 0) return null;
  return `no busybox here, and apt-get could not install one: ${got.error?.message ?? got.stderr.trim().slice(-300)}`;
}

const succeeds = (...words) => spawnSync('busybox', words).status === 0;

const apt = (words, limits = { timeout: 120_000 }) =>
  spawnSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=60', ...words], {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    ...limits,
  });
