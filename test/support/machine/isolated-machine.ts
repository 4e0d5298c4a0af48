import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SshdOptions } from './sshd.ts';

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** A test host that seems to be another machine, though its kernel is this machine's. */
export interface IsolatedMachine {
  /** Network of its sshd, and so of all that runs there. */
  network: NonNullable<SshdOptions['network']>;
  /** Gives the host a new boot id. The caller kills the processes there first. */
  reboot(): void;
}

/**
 * Makes a mount namespace for a test host, with a boot id of its own. There, the time of `date` and the times of files
 * in `stat` are `clockAhead` seconds off, so the clock is off for everything that runs these programs.
 */
export function makeIsolatedMachine(folder: string, { clockAhead = 0 }: { clockAhead?: number } = {}): IsolatedMachine {
  mkdirSync(folder, { recursive: true });
  const bootId = join(folder, 'boot_id');
  const reboot = (): void => writeFileSync(bootId, `${randomUUID()}\n`);
  reboot();
  const replacements: [file: string, replaced: string][] = [[bootId, BOOT_ID]];
  if (clockAhead !== 0)
    for (const [name, script] of Object.entries(STAND_INS)) {
      const real = pathOf(name);
      copyFileSync(real, join(folder, `real-${name}`));
      writeFileSync(join(folder, name), script(join(folder, `real-${name}`), clockAhead), { mode: 0o755 });
      replacements.push([join(folder, name), real]);
    }
  const mounts = replacements.map(([file, replaced]) => `mount --bind '${file}' '${replaced}' && `).join('');
  return {
    network: { address: '127.0.0.1', enter: ['unshare', '--mount', 'sh', '-c', `${mounts}exec "$@"`, 'sh'] },
    reboot,
  };
}

const STAND_INS: Record<string, (real: string, ahead: number) => string> = {
  date: (real, ahead) => `#!/bin/sh\nexec '${real}' -d "@$(($('${real}' +%s) + ${ahead}))" "$@"\n`,
  // Changes only the time of a file (-c %Y): the scripts use no other output of stat.
  stat: (real, ahead) => `#!/bin/sh
if [ "$1 $2" != '-c %Y' ]; then exec '${real}' "$@"; fi
made=$('${real}' "$@") || exit 1
echo $((made + ${ahead}))
`,
};

const pathOf = (name: string): string =>
  realpathSync(execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim());

/** Reason why test hosts cannot be isolated machines; undefined if they can. */
export const noIsolatedMachines = ((): string | undefined => {
  // If one program has many names, such as busybox, a stand-in for one name would replace all.
  const shared = Object.keys(STAND_INS).filter((name) => basename(pathOf(name)) !== name);
  if (shared.length > 0) return `(${shared.join(' and ')} cannot be replaced here)`;
  const tried = spawnSync('unshare', ['--mount', 'sh', '-c', `mount --bind /dev/null ${BOOT_ID}`]);
  return tried.status === 0 ? undefined : '(a mount namespace of their own needs root)';
})();
