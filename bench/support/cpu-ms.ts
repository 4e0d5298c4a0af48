import { readdirSync, readFileSync } from 'node:fs';

/** CPU milliseconds of the threads of a process that live, to the microsecond; 0 if the process is gone. */
export function cpuMs(pid: number): number {
  let nanoseconds = 0;
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`))
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return nanoseconds / 1e6;
}
