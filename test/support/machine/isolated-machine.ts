import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SshdOptions } from './sshd.ts';

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** What a test host seems to be, though its kernel is this machine's. */
export interface IsolatedMachine {
  /** For its sshd, and so for all that runs there. */
  network: NonNullable<SshdOptions['network']>;
  /** From here on it was booted once more; what ran there is to be killed before. */
  reboot(): void;
}

/**
 * A mount namespace of its own for a test host, in which its boot id is its own, and stand-ins for `date` and for the times
 * that `stat` tells of files are off by so many seconds: to what asks programs for the time, its clock is.
 */
export function makeIsolatedMachine(folder: string, { clockAhead = 0 }: { clockAhead?: number } = {}): IsolatedMachine {
  mkdirSync(folder, { recursive: true });
  const bootId = join(folder, 'boot_id');
  const reboot = (): void => writeFileSync(bootId, `${randomUUID()}\n`);
  reboot();
  const over: [string, string][] = [[bootId, BOOT_ID]];
  if (clockAhead !== 0)
    for (const [name, script] of Object.entries(STAND_INS)) {
      const real = pathOf(name);
      copyFileSync(real, join(folder, `real-${name}`));
      writeFileSync(join(folder, name), script(join(folder, `real-${name}`), clockAhead), { mode: 0o755 });
      over.push([join(folder, name), real]);
    }
  const mounts = over.map(([from, to]) => `mount --bind '${from}' '${to}' && `).join('');
  return {
    network: { address: '127.0.0.1', enter: ['unshare', '--mount', 'sh', '-c', `${mounts}exec "$@"`, 'sh'] },
    reboot,
  };
}

const STAND_INS: Record<string, (real: string, ahead: number) => string> = {
  date: (real, ahead) => `#!/bin/sh\nexec '${real}' -d "@$(($('${real}' +%s) + ${ahead}))" "$@"\n`,
  // Of a file's age, which alone the scripts ask for; all else is told as it is.
  stat: (real, ahead) => `#!/bin/sh
if [ "$1 $2" != '-c %Y' ]; then exec '${real}' "$@"; fi
made=$('${real}' "$@") || exit 1
echo $((made + ${ahead}))
`,
};

const pathOf = (name: string): string =>
  realpathSync(execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim());

/** Why a test host cannot be like that; undefined where it can. */
export const noIsolatedMachines = ((): string | undefined => {
  // Where one program is many, a stand-in for one of its names would take the place of all.
  const shared = Object.keys(STAND_INS).filter((name) => basename(pathOf(name)) !== name);
  if (shared.length > 0) return `(${shared.join(' and ')} cannot be replaced here)`;
  const tried = spawnSync('unshare', ['--mount', 'sh', '-c', `mount --bind /dev/null ${BOOT_ID}`]);
  return tried.status === 0 ? undefined : '(a mount namespace of their own needs root)';
})();
