import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { SshCompute } from '../../../../../infra/compute/ssh.ts';
import type { Sshd } from '../../../../support/machine/sshd.ts';
import { bytes, LIMITS, specOf } from '../../conformance/support.ts';
import type { testHosts } from './hosts.ts';

/** A host with two GPUs, by a stand-in for nvidia-smi, and two installations on it, which log in as `users`. */
export async function sharedBox(
  { start, connect }: ReturnType<typeof testHosts>,
  { users = [undefined], second = 'theirs' }: { users?: (string | undefined)[]; second?: string } = {},
) {
  const gpus = [`GPU-${randomUUID()}`, `GPU-${randomUUID()}`] as const;
  const list = gpus.map((uuid, index) => `echo "${index}, ${uuid}, Stand-In, 81920"`).join('; ');
  const script = `#!/bin/sh\ncase $1 in *memory.total*) ${list} ;; esac\n`;
  const login = async (as: string | undefined): Promise<Sshd> => {
    const sshd = await start({ path: 'bin', ...(as === undefined ? {} : { as }) });
    mkdirSync(join(sshd.home, 'bin'));
    writeFileSync(join(sshd.home, 'bin', 'nvidia-smi'), script, { mode: 0o755 });
    return sshd;
  };
  const install = async (sshd: Sshd, installation: string): Promise<SshCompute> => {
    const compute = connect(sshd, { installation });
    await compute.stage('stage1', [{ path: 'main.txt', content: bytes('x') }]);
    return compute;
  };
  const sshd = await login(users[0]);
  const other = users.length > 1 ? await login(users[1]) : sshd;
  const on = (command: string, ...names: string[]) =>
    specOf(command, { slot: { id: 'slot-0', pool: 'gpu', index: 0, gpu: names.join(',') } });
  /** GPUs of this box that other installations hold. The folder of the locks may hold locks of other tests. */
  const heldBy = async (compute: SshCompute): Promise<string[]> =>
    (await compute.machine()).held.filter((uuid) => gpus.some((gpu) => gpu === uuid));
  const [ours, theirs] = [await install(sshd, 'ours'), await install(other, second)];
  return { sshd, gpus, on, heldBy, ours, theirs };
}

/** Limits whose wall clock exceeds the duration of any test. */
export const LONG = { limits: { ...LIMITS, wallSeconds: 300 } };

/** Command that prints the number of its open descriptors, and sleeps. */
export const TELLS_OPEN = 'ls /proc/self/fd | wc -l; exec sleep 4831';

/**
 * Kills the supervisor of an installation's only run, whose command is {@link TELLS_OPEN}.
 * Waits first until the run has printed that it inherited no descriptor of a lock.
 */
export async function killSupervisor({ home }: Sshd, installation: string): Promise<void> {
  const runs = join(home, '.perpetua-host/runs', installation);
  const [folder = ''] = readdirSync(runs);
  const control = join(runs, folder, '5', 'ctl');
  // Four descriptors: 0, 1, 2 and the folder that `ls` reads.
  await expect.poll(() => readFileSync(join(control, 'output'), 'utf8')).toBe('4\n');
  const { pid } = JSON.parse(readFileSync(join(control, 'started.json'), 'utf8')) as { pid: number };
  process.kill(pid, 'SIGKILL');
}
