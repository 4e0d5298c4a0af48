import { spawnSync } from 'node:child_process';

const succeeds = (...words: string[]): boolean => spawnSync('busybox', words).status === 0;

/** Why there are no tests under busybox; undefined where there are. */
export const noBusybox = ((): string | undefined => {
  if (!succeeds('true')) return '(busybox is not installed)';
  // busybox-static does: its setpriv and unshare lack what ours need, whatever the host has.
  const isAlone = succeeds('sh', '-c', 'PATH=/nowhere; ls / > /dev/null 2>&1');
  return isAlone ? '(this busybox takes its own programs before those of the PATH)' : undefined;
})();
