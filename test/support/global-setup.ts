import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../config/paths.ts';
// @ts-expect-error It runs before anything is compiled, hence without types.
import { getSshd as get } from '../../scripts/sshd.mjs';

const getSshd = get as () => unknown;

/** Tests of whole processes run what users run: the build. */
export default function setup(): void {
  execFileSync(process.execPath, [join(packageRoot(), 'scripts', 'build.mjs')], { stdio: 'inherit' });
  getSshd();
}
