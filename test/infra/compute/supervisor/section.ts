import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { noBusybox } from '../../../support/machine/busybox.ts';

const source = readFileSync(new URL('../../../../infra/compute/supervisor.sh', import.meta.url), 'utf8');

/** Returns a section of the supervisor script, by the beginning of its title. */
export function section(title: string): string {
  const [, text] = source.split(new RegExp(`^# --- ${title}[^\n]*\n`, 'm'));
  if (text === undefined) throw new Error(`expected a section "${title}" in supervisor.sh`);
  return text.split(/^# --- /m)[0] ?? '';
}

/** True if a program is not installed. */
export const isMissing = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0;

/** The shells that a section runs under: name, command line, and whether the machine lacks the shell. */
export const SHELLS: [name: string, command: string[], isMissing: boolean][] = [
  ['dash', ['dash'], isMissing('dash')],
  ['busybox', ['busybox', 'sh'], noBusybox !== undefined],
  ['bash', ['bash'], isMissing('bash')],
];
