import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../config/paths.ts';
// @ts-expect-error It runs before anything is compiled, hence without types.
import { getBusybox as busybox } from '../../scripts/busybox.mjs';
// @ts-expect-error The same.
import { getSshd as sshd } from '../../scripts/sshd.mjs';

const [getSshd, getBusybox] = [sshd as () => unknown, busybox as () => unknown];

/** Tests of whole processes run what users run: the build. */
export default function setup(): void {
  execFileSync(process.execPath, [join(packageRoot(), 'scripts', 'build.mjs')], { stdio: 'inherit' });
  getSshd();
  getBusybox();
}
