import { formatSeconds } from '../../domain/text/format.ts';

interface Agent {
  host: string;
  seconds: number | null;
  cpuSeconds: number | null;
  ending: string | null;
  isOver: boolean;
  tampering: readonly string[];
}

/** The run of a trial's coding agent: "ran for 3 m, 4.1 s of CPU; it ended with exit code 1; tampering: …". */
export function describeAgent({ host, seconds, cpuSeconds, ending, isOver, tampering }: Agent): string {
  if (!isOver) return `works on ${host}`;
  const parts = [`ran for ${formatSeconds(seconds ?? 0)}, ${formatSeconds(cpuSeconds ?? 0)} of CPU`];
  if (ending !== null) parts.push(ending);
  if (tampering.length > 0) parts.push(`tampering: it changed ${tampering.join(', ')}, which were not taken`);
  return parts.join('; ');
}
