import { plural } from '../../domain/text/plural.ts';
import type { HostCheck } from '../fleet/check-host.ts';
import { withoutHostPrefix } from '../../view/fleet/without-host-prefix.ts';
import { formatSeconds } from '../../domain/text/format.ts';
import { columns } from './text/text.ts';

const HEAD = [
  'host',
  'pool',
  'works',
  'slots',
  'cores',
  'memory',
  'free disk',
  'GPUs',
  'sandbox',
  'limits',
  'clock',
  'small run',
];

/** `perpetua fleet check` for people: a table, the problems of each host, and a summary. */
export function renderFleetCheck(checks: readonly HostCheck[]): string[] {
  const working = checks.filter(({ ok }) => ok);
  const slots = working.reduce((sum, check) => sum + check.slots, 0);
  return [
    ...columns([HEAD, ...checks.map(rowOf)]).map((line) => line.trimEnd()),
    '',
    ...checks.flatMap(({ host, problems }) =>
      problems.map((problem) => `! ${host}: ${withoutHostPrefix(host, problem)}`),
    ),
    `${working.length} of ${plural(checks.length, 'host')} can run trials, on ${plural(slots, 'slot')}`,
  ];
}

function rowOf({ host, pool, ok, slots, machine, protections, runSeconds }: HostCheck): string[] {
  const sizes = machine
    ? [String(machine.cores), gib(machine.memoryMb), gib(machine.roomMb), gpuText(machine.gpus)]
    : ['–', '–', '–', '–'];
  return [
    host,
    pool,
    ok ? 'yes' : 'no',
    ok ? String(slots) : '–',
    ...sizes,
    sandboxText(protections),
    limitsText(protections),
    // Truncated towards zero: the network delay of the question is no difference of the clocks.
    machine ? clockText(Math.trunc(machine.clockAhead)) : '–',
    runSeconds === null ? '–' : formatSeconds(runSeconds),
  ];
}

function sandboxText(protections: HostCheck['protections']): string {
  if (!protections) return '–';
  return protections.sandboxed ? 'yes' : 'no';
}

/** Enforcer of the limits of memory and processes. */
function limitsText(protections: HostCheck['protections']): string {
  if (!protections) return '–';
  const { groups } = protections;
  return groups.includes('memory') && groups.includes('processes') ? 'by kernel' : 'measured';
}

/** A clock's difference in whole seconds, with its sign. */
function clockText(seconds: number): string {
  if (seconds === 0) return '0 s';
  return `${seconds > 0 ? '+' : '−'}${Math.abs(seconds)} s`;
}

const gib = (mb: number): string => `${(mb / 1024).toFixed(0)} GiB`;

/** "8 × NVIDIA H100 80GB", models separated by commas. */
function gpuText(gpus: readonly { name: string }[]): string {
  const kinds = new Map<string, number>();
  for (const { name } of gpus) kinds.set(name, (kinds.get(name) ?? 0) + 1);
  return [...kinds].map(([name, n]) => `${n} × ${name}`).join(', ') || 'none';
}
