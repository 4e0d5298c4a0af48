import { readdirSync, readFileSync } from 'node:fs';

/** Process ids, but our own, in whose command line a word is. */
export function markedProcesses(mark: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(mark) ? [Number(name)] : [];
    } catch {
      return []; // It ended while we looked.
    }
  });
}
