import { listNames, readOptional } from '../../../files.ts';

/** Process ids on this machine, but 1 and our own. */
export async function otherProcesses(): Promise<number[]> {
  const pids = (await listNames('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  return pids.filter((pid) => pid > 1 && pid !== process.pid);
}

/** A file of a process; empty where it is gone, or another user's: that one cannot be read, and is none of ours. */
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
