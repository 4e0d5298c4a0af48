import { execFileSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { PS_OPTIONS } from './identity.ts';

/** Working directory of a process, without links; undefined if the process is gone or belongs to another user. */
export function cwdOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`);
    const output = execFileSync('lsof', ['-a', '-p', String(pid), '-d', 'cwd', '-Fn'], PS_OPTIONS);
    return /^n(.*)$/m.exec(output)?.[1];
  } catch {
    return undefined; // the process ended meanwhile
  }
}
