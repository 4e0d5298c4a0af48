import { listNames, readOptional } from '../../../files.ts';

/** Ids of all processes on this machine, except 1 and this process. */
export async function otherProcesses(): Promise<number[]> {
  const pids = (await listNames('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  return pids.filter((pid) => pid > 1 && pid !== process.pid);
}

/** Reads a file of a process; empty if the process is gone, or belongs to another user and cannot be read. */
export async function readOfProcess(
  pid: number,
  name: 'status' | 'cmdline' | 'environ' | 'stat' | 'limits',
): Promise<string> {
  try {
    return (await readOptional(`/proc/${pid}/${name}`)) ?? '';
  } catch (error) {
    if (['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}
