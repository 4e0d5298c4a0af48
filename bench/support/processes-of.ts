import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The other processes whose arguments or working directory name that folder of a home, as "PID: ARGUMENTS". The
 * arguments of a run itself never name it.
 */
export function processesOf(home: string, folder = 'runs'): string[] {
  const path = join(home, folder);
  const found: string[] = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) === process.pid) continue;
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const cwd = readlinkSync(`/proc/${pid}/cwd`);
      if (command.includes(path) || cwd.startsWith(path)) found.push(`${pid}: ${command}`);
    } catch {
      // The process ended meanwhile.
    }
  }
  return found;
}
