import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { identify, type ProcessIdentity, PS_OPTIONS } from './identity.ts';

export interface ListedProcess extends ProcessIdentity {
  args: string[];
}
interface Entry {
  pid: number;
  parent: number;
  args: string[];
}

/** Living processes of this user that match. Finds servers again whose parent was killed. */
export function findProcesses(matches: (args: string[], pid: number) => boolean): ListedProcess[] {
  const all = process.platform === 'linux' ? fromProc() : fromPs();
  const found = all.filter(({ pid, args }) => pid !== process.pid && matches(args, pid));
  // Leaves out children of a match: between fork and exec, a child has the arguments of its parent.
  const roots = found.filter(({ parent }) => !found.some(({ pid }) => pid === parent));
  return roots.flatMap(({ pid, args }) => {
    const identity = identify(pid);
    return identity ? [{ ...identity, args }] : [];
  });
}

/** Ids of a living process and its descendants, the process first; empty if it is gone. */
export function treeOf(root: number): number[] {
  const all = process.platform === 'linux' ? fromProc() : fromPs();
  const tree = all.filter(({ pid }) => pid === root).map(({ pid }) => pid);
  // The list grows during this loop.
  for (const parent of tree) tree.push(...all.filter((one) => one.parent === parent).map(({ pid }) => pid));
  return tree;
}

function fromProc(): Entry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        if (statSync(`/proc/${name}`).uid !== process.getuid?.()) return [];
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        return [
          { pid: Number(name), parent, args: readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').slice(0, -1) },
        ];
      } catch {
        return []; // the process ended meanwhile
      }
    });
}

function fromPs(): Entry[] {
  const output = execFileSync('ps', ['-xwwo', 'pid=,ppid=,command='], { ...PS_OPTIONS, maxBuffer: 2 ** 26 });
  return output
    .split('\n')
    .map((line) => line.trim().split(/ +/))
    .flatMap(([pid, parent, ...args]) => (pid ? [{ pid: Number(pid), parent: Number(parent), args }] : []));
}
