import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { PLAIN_OUTPUT } from '../plain-output.ts';
import { type Pythons, readPythons } from './read-pythons.ts';

/** Finds interpreters of this machine for a version, by PATH and HOME of `env`. */
export async function findLocalPythons(version: string, env: Readonly<Record<string, string>>): Promise<Pythons> {
  const parts = ['../compute/tools/tools.sh', './pythons.sh'];
  const functions = await Promise.all(parts.map((path) => readFile(new URL(path, import.meta.url), 'utf8')));
  const script = `uname -sm\n${functions.join('\n')}\npythons "$1" "$2" "$3"`;
  const args = ['-c', script, 'sh', version, env.HOME ?? '/nonexistent', env.PATH ?? ''];
  const { stdout } = await promisify(execFile)('/bin/sh', args, { env: { ...env, ...PLAIN_OUTPUT } });
  return readPythons(stdout);
}
