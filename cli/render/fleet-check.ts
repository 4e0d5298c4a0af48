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
  'clock',
  'small run',
];

/** `perpetua fleet check` for people: a table, then what is wrong with which host. */
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
  return [
    ...[host, pool, ok ? 'yes' : 'no', ok ? String(slots) : '–'],
    ...(machine
      ? [String(machine.cores), gib(machine.memoryMb), gib(machine.roomMb), gpuText(machine.gpus)]
      : ['–', '–', '–', '–']),
    protections ? (protections.sandboxed ? 'yes' : 'no') : '–',
    machine ? clockText(Math.trunc(machine.clockAhead)) : '–',
    runSeconds === null ? '–' : formatSeconds(runSeconds),
  ];
}

/** Whole seconds, towards zero: what the way there took shows as less than one. */
const clockText = (seconds: number): string =>
  seconds === 0 ? '0 s' : `${seconds > 0 ? '+' : '−'}${Math.abs(seconds)} s`;

const gib = (mb: number): string => `${(mb / 1024).toFixed(0)} GiB`;

/** "8 × NVIDIA H100 80GB", kinds by commas. */
function gpuText(gpus: readonly { name: string }[]): string {
  const kinds = new Map<string, number>();
  for (const { name } of gpus) kinds.set(name, (kinds.get(name) ?? 0) + 1);
  return [...kinds].map(([name, n]) => `${n} × ${name}`).join(', ') || 'none';
}
