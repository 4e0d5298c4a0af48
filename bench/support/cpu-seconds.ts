import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second in /proc: 100 on all usual Linux systems. */
const TICKS = 100;

interface Process {
  parent: number;
  /** Ticks of the process and of the children that it has waited for. */
  ticks: number;
}

/** CPU seconds of a process and its descendants, alive or waited for; 0 if the process is gone. */
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

/** CPU seconds of the whole machine since its boot. */
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
    // The name in brackets may have spaces and brackets. Behind the last bracket come the fields from 3 on.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
    return { parent: fields[1] ?? 0, ticks: user + system + childUser + childSystem };
  } catch {
    return null; // The process ended meanwhile.
  }
}
