import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../../config/paths.ts';

/** Tests of whole processes run what users run: the build. */
export default function build(): void {
  execFileSync(process.execPath, [join(packageRoot(), 'scripts', 'build.mjs')], { stdio: 'inherit' });
}
