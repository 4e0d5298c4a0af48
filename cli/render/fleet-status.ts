import type { FleetHostStatus } from '../../db/reads/fleet/read-fleet.ts';
import { plural } from '../../domain/text/plural.ts';
import {
  describeHostState,
  describeLastError,
  lastErrorOf,
  describeHostTrouble,
} from '../../view/fleet/host-health.ts';
import { withoutHostPrefix } from '../../view/fleet/without-host-prefix.ts';
import { formatSeconds } from '../../domain/text/format.ts';
import { columns, truncate } from './text/text.ts';
import { oneLine } from '../../domain/text/sanitize.ts';

const HEAD = ['host', 'pool', 'state', 'slots', 'running', 'seen'];
/** Width to which an error that is over is cut; `--json` has all of it. */
const SHOWN_COLUMNS = 120;

/** `perpetua fleet` for people: a table, the running trials, the problems of each host, and a summary. */
export function renderFleetStatus(hosts: readonly FleetHostStatus[]): string[] {
  if (hosts.length === 0)
    return [
      "The fleet has no hosts: all runs are on the worker's machine. " +
        'To add machines, name them in fleet.yaml (examples: docs/guides/fleet.md), then: npx perpetua fleet apply',
    ];
  const serving = hosts.filter((host) => describeHostState(host) === 'serving');
  const slots = serving.reduce((sum, host) => sum + host.slots, 0);
  const present = hosts.filter(({ state }) => state !== 'removed');
  const head = hosts.some(({ labels }) => labels.length > 0) ? [...HEAD, 'labels'] : HEAD;
  return [
    ...columns([head, ...hosts.map(rowOf)]).map((line) => line.trimEnd()),
    '',
    ...hosts.flatMap(runningLines),
    ...hosts.flatMap(problemLines),
    `${serving.length} of ${plural(present.length, 'host')} can take trials, on ${plural(slots, 'slot')}`,
  ];
}

/** `perpetua fleet --json`. Public format: do not rename keys. `condition` is the table's column `state`. */
export const fleetJson = (hosts: readonly FleetHostStatus[]) => ({
  hosts: hosts.map((host) => ({ ...host, condition: describeHostState(host) })),
});

const rowOf = (host: FleetHostStatus): string[] => [
  host.name,
  host.pool,
  describeHostState(host),
  String(host.slots),
  String(host.running.length),
  host.seenSecondsAgo === null ? 'never' : `${formatSeconds(host.seenSecondsAgo)} ago`,
  host.labels.map(oneLine).join(', '),
];

const runningLines = ({ name, running }: FleetHostStatus): string[] =>
  running.map(
    ({ trial, gpu, seconds }) =>
      `  ${name}: ${trial}${gpu === null ? '' : ` on ${gpu}`}, for ${formatSeconds(seconds)}`,
  );

function problemLines(host: FleetHostStatus): string[] {
  const { name, note } = host;
  const noteLines = note === null ? [] : [`! ${name}: ${withoutHostPrefix(name, note)}`];
  return [...noteLines, ...errorLines(host)];
}

function errorLines(host: FleetHostStatus): string[] {
  const { name } = host;
  const trouble = describeHostTrouble(host);
  if (trouble !== null) return [`! ${name}: ${trouble}`];
  const last = lastErrorOf(host);
  if (last === null) return [];
  return [`  ${name}: ${describeLastError({ ...last, error: truncate(last.error, SHOWN_COLUMNS) })}`];
}
