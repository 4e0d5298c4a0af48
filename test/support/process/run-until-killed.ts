import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../../config/paths.ts';

/** Code to run in a Node process, and a fake program, first on its PATH, that kills that process. */
interface KilledRun {
  /** Folder for the fake program. */
  bin: string;
  /** Name of the program that the fake replaces. */
  program: string;
  /** Shell commands of the fake program before it kills the process; `$@` are its arguments. */
  shellScript: string;
  /** File of the build, whose exports the code has as `exports`. */
  module: string;
  /** Code of the process, which has its arguments as `args`. */
  code: string;
  args: string[];
}

/** Runs the process until it is killed; returns the signal and its standard error. */
export function runUntilKilled({ bin, program, shellScript, module, code, args }: KilledRun): {
  signal: string | null;
  stderr: string;
} {
  mkdirSync(bin, { recursive: true });
  const script = join(bin, program);
  writeFileSync(script, `#!/bin/sh\n${shellScript}\nkill -KILL $PPID\n`);
  chmodSync(script, 0o755);
  const url = pathToFileURL(join(packageRoot(), 'dist', module)).href;
  const text = `const exports = await import(${JSON.stringify(url)}); const args = process.argv.slice(1); ${code}`;
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}` };
  const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', text, ...args], {
    env,
    encoding: 'utf8',
  });
  return { signal, stderr };
}
