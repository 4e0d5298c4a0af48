import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestStack } from '../stack.ts';

export interface HeldCommand {
  args: string[];
  release: () => void;
  starts: () => string;
}

/** A command that notes its start outside the run, prints `began`, waits for `release`, and prints `went on`. */
export function heldCommand({ home }: Pick<TestStack, 'home'>, name: string): HeldCommand {
  const [hold, starts] = [join(home, `hold-${name}`), join(home, `starts-${name}`)];
  writeFileSync(hold, '');
  const script = `echo x >> ${starts}; echo began; while [ -e ${hold} ]; do sleep .1; done; echo went on`;
  return {
    args: ['--', 'sh', '-c', script],
    release: () => rmSync(hold),
    starts: () => (existsSync(starts) ? readFileSync(starts, 'utf8') : ''),
  };
}
