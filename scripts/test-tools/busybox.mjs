// Gets busybox for tests that run the host scripts under its shell: the machine's own, else Debian's package. Only root
// can install it, since it must be in a folder that sandboxed runs can read.
import { spawnSync } from 'node:child_process';

const PACKAGE = ['--yes', '--no-install-recommends', 'busybox'];
/** Variable that passes the reason of a failed installation to child processes, so that they do not try again. */
const REASON = 'PERPETUA_TEST_NO_BUSYBOX';

/** Returns the reason to skip tests under busybox; null if they can run. */
export function whyNoBusybox() {
  if (!succeeds('true')) return 'busybox is not installed';
  // busybox-static prefers its own setpriv and unshare, which lack options that the host scripts need.
  const isAlone = succeeds('sh', '-c', 'PATH=/nowhere; ls / > /dev/null 2>&1');
  return isAlone ? 'this busybox takes its own programs before those of the PATH' : null;
}

/** Installs busybox if it is missing. Returns the reason why the tests cannot use it, or null. */
export function getBusybox({ tell = () => {} } = {}) {
  if (succeeds('true')) return whyNoBusybox();
  process.env[REASON] ||= install(tell) ?? '';
  return process.env[REASON] || whyNoBusybox();
}

function install(tell) {
  if (process.getuid?.() !== 0) return 'no busybox here, and only root can install one';
  tell('installing busybox for the tests');
  // Only the download, which may hang, has a time limit: an interrupted installation would be left half done.
  let result = apt(['install', '--download-only', ...PACKAGE]);
  // The machine may have no package lists, or old ones.
  if (result.status !== 0 && apt(['update']).status === 0) result = apt(['install', '--download-only', ...PACKAGE]);
  if (result.status === 0) result = apt(['install', ...PACKAGE], {});
  if (result.status === 0) return null;
  const reason = result.error?.message ?? result.stderr.trim().slice(-300);
  return `no busybox here, and apt-get could not install one: ${reason}`;
}

const succeeds = (...words) => spawnSync('busybox', words).status === 0;

const apt = (words, limits = { timeout: 120_000 }) =>
  spawnSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=60', ...words], {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    ...limits,
  });
