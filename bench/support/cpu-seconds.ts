import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second of /proc: 100 on every Linux that we know. */
const TICKS = 100;

interface Process {
  parent: number;
  /** Ticks of its own and of its children that it has waited for. */
  ticks: number;
}

/** CPU seconds of a process and of all that came out of it, whether it lives or was waited for; 0 where it is gone. */
export function cpuSeconds(pid: number): number {
  const all = new Map<number, Process>();
  for (const name of readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? read(name) : null;
    if (found) all.set(Number(name), found);
  }
  const sum = (id: number): number =>
    [...all].reduce(
      (ticks, [child, { parent }]) => (parent === id ? ticks + sum(child) : ticks),
      all.get(id)?.ticks ?? 0,
    );
  return sum(pid) / TICKS;
}

/** CPU seconds of all that runs on this machine, since its boot. */
export function machineCpuSeconds(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = readFileSync('/proc/stat', 'utf8')
    .replace(/\n.*/s, '')
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq) / TICKS;
}

function read(pid: string): Process | null {
  try {
    // The name in brackets may hold spaces and brackets; what follows its last one is fields 3 and on.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
    return { parent: fields[1] ?? 0, ticks: user + system + childUser + childSystem };
  } catch {
    return null; // it ended meanwhile
  }
}
