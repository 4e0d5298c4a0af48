import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../../config/paths.ts';

/** A process of ours, and a program that it starts, which does its part and then kills our process. */
interface Dying {
  /** A folder for the program. */
  bin: string;
  program: string;
  /** The part of the program, in shell; `$@` are its arguments. */
  does: string;
  /** A file of the build, whose exports the code has as `ours`. */
  module: string;
  code: string;
  words: string[];
}

/** Runs the process until it is killed; returns the signal. */
export function runUntilKilled({ bin, program, does, module, code, words }: Dying): {
  signal: string | null;
  stderr: string;
} {
  mkdirSync(bin, { recursive: true });
  const script = join(bin, program);
  writeFileSync(script, `#!/bin/sh\n${does}\nkill -KILL $PPID\n`);
  chmodSync(script, 0o755);
  const url = pathToFileURL(join(packageRoot(), 'dist', module)).href;
  const text = `const ours = await import(${JSON.stringify(url)}); const words = process.argv.slice(1); ${code}`;
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}` };
  const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', text, ...words], {
    env,
    encoding: 'utf8',
  });
  return { signal, stderr };
}
