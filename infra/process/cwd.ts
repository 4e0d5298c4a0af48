import { execFileSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';

/** The folder that a process of our own works in, without links; undefined where it is gone, or another user's. */
export function cwdOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`);
    const said = execFileSync('lsof', ['-a', '-p', String(pid), '-d', 'cwd', '-Fn'], { encoding: 'utf8' });
    return /^n(.*)$/m.exec(said)?.[1];
  } catch {
    return undefined; // it ended in between
  }
}
