import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SshdOptions } from '../../../../support/machine/sshd.ts';
import { bytes } from '../../conformance/support.ts';
import type { testHosts } from './hosts.ts';

/** Command that prints four lines, and after each waits for the file `go.N` with the number of the line. */
export const STEPS =
  'i=0; while [ $i -lt 4 ]; do echo "line $i"; until [ -e go.$i ]; do sleep 0.05; done; i=$((i+1)); done';

/** Work folder of the only run of an installation. */
export function workOf(scratch: string, name: string): string {
  const runs = join(scratch, 'runs', name);
  const [run = ''] = readdirSync(runs);
  return join(runs, run, '5', 'work');
}

/** Text of a file; undefined if the file is gone. */
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
