import { otherProcesses, readOfProcess } from '../../../infra/compute/local/kill/processes.ts';

/** Number of processes with exactly this command line, in any namespace. */
export async function runningPrograms(commandLine: string): Promise<number> {
  const lines = await Promise.all((await otherProcesses()).map((pid) => readOfProcess(pid, 'cmdline')));
  return lines.filter((line) => line.split('\0').filter(Boolean).join(' ') === commandLine).length;
}
