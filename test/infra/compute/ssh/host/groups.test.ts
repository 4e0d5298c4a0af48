import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { host, SHELLS } from '../support/host-call.ts';

/** A control group of this process in which it may make groups; undefined if there is none. */
const own = readFileSync('/proc/self/cgroup', 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(':'))
  .flatMap(([, controller = '', path = '']) =>
    (controller === '' ? ['unified', '.'] : [controller]).map((folder) => join('/sys/fs/cgroup', folder, path)),
  )
  .find((group) => /\/(memory|unified|cgroup)(\/|$)/.test(group) && isWritable(join(group, 'cgroup.procs')));

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Start time of process 1, in clock ticks since boot. */
const birthOfInit = readFileSync('/proc/1/stat', 'utf8').split(') ')[1]?.split(' ')[19] ?? '';

it.skipIf(own === undefined).each(SHELLS)('a sweep removes groups of killed supervisors (%s)', (shell) => {
  // No process has this pid and this start time.
  const group = join(own ?? '', `perpetua-left.0-1-${birthOfInit}-4194303-${SHELLS.indexOf(shell) + 1}`);
  mkdirSync(group);
  onTestFinished(() => {
    if (existsSync(group)) rmdirSync(group);
  });
  const on = host(shell);
  expect(on.call('sweep', 0, 0)).toEqual(['done']);
  expect(existsSync(group)).toBe(false);
});
