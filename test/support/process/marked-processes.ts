import { readdirSync, readFileSync } from 'node:fs';

/** Ids of the other processes that have a word in their command line. */
export function markedProcesses(mark: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(mark) ? [Number(name)] : [];
    } catch {
      return []; // The process ended meanwhile.
    }
  });
}
