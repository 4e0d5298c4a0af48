import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { SYSTEM_PATH } from '../../system-path.ts';

/** Removes the control groups that killed supervisors left, with the processes in them. */
export async function dropGroups(supervisor: string): Promise<void> {
  const child = spawn('/bin/sh', [supervisor, '--drop-groups'], {
    cwd: '/',
    env: { PATH: SYSTEM_PATH },
    stdio: 'ignore',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`sweep: expected ${supervisor} --drop-groups to succeed; its exit code is ${code}`);
}
