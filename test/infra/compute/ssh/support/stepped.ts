import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SshdOptions } from '../../../../support/machine/sshd.ts';
import { bytes } from '../../conformance/support.ts';
import type { testHosts } from './hosts.ts';

/** Says a line, then waits until a file of that number is there. */
export const STEPS =
  'i=0; while [ $i -lt 4 ]; do echo "line $i"; until [ -e go.$i ]; do sleep 0.05; done; i=$((i+1)); done';

/** The folder in which the one run of an installation works. */
export function workOf(scratch: string, name: string): string {
  const runs = join(scratch, 'runs', name);
  const [run = ''] = readdirSync(runs);
  return join(runs, run, '5', 'work');
}

/** A text that may be gone by now. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Makes hosts with a stage on them. */
export function boxes({ start, connect }: ReturnType<typeof testHosts>) {
  return async (options?: SshdOptions, more: Parameters<typeof connect>[1] = {}) => {
    const sshd = await start(options);
    const compute = connect(sshd, more);
    await compute.stage('stage1', [{ path: 'main.txt', content: bytes('x') }]);
    return { sshd, compute, scratch: join(sshd.home, '.perpetua-host') };
  };
}
