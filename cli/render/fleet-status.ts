import type { FleetHostStatus } from '../../db/reads/read-fleet.ts';
import { plural } from '../../domain/text/plural.ts';
import { problemOf } from './host-problem.ts';
import { formatSeconds } from '../../domain/text/format.ts';
import { columns, cut } from './text/text.ts';
import { oneLine } from '../../domain/text/clean.ts';

const HEAD = ['host', 'pool', 'state', 'slots', 'running', 'seen'];
/** How long an error that is over is shown: who comes in the morning sees what died in the night. */
const SHOWN_SECONDS = 86_400;
/** How much of such an error is shown; `--json` has all of it. */
const SHOWN_COLUMNS = 120;

/** `perpetua fleet` for people: a table, what runs where, and what is wrong with which host. */
export function renderFleetStatus(hosts: readonly FleetHostStatus[]): string[] {
  if (hosts.length === 0)
    return [
      'the fleet has no host; name some in fleet.yaml (docs/fleet.md has examples), then: npx perpetua fleet apply',
    ];
  const well = hosts.filter((host) => stateOf(host) === 'serving');
  const slots = well.reduce((sum, host) => sum + host.slots, 0);
  const head = hosts.some(({ labels }) => labels.length > 0) ? [...HEAD, 'labels'] : HEAD;
  return [
    ...columns([head, ...hosts.map(rowOf)]).map((line) => line.trimEnd()),
    '',
    ...hosts.flatMap(runningLines),
    ...hosts.flatMap(problemLines),
    `${well.length} of ${plural(hosts.filter(({ state }) => state !== 'removed').length, 'host')} can take trials, on ${plural(slots, 'slot')}`,
  ];
}

/** `perpetua fleet --json`; a contract. `condition` is what the table shows as the state. */
export const fleetJson = (hosts: readonly FleetHostStatus[]) => ({
  hosts: hosts.map((host) => ({ ...host, condition: stateOf(host) })),
});

function stateOf({ state, quarantineSeconds, seenSecondsAgo }: FleetHostStatus): string {
  if (state !== 'serving') return state;
  if (quarantineSeconds !== null) return 'quarantine';
  return seenSecondsAgo === null ? 'not tried yet' : state;
}

const rowOf = (host: FleetHostStatus): string[] => [
  ...[host.name, host.pool, stateOf(host), String(host.slots), String(host.running.length)],
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
  return [...(note === null ? [] : [`! ${name}: ${problemOf(name, note)}`]), ...errorLines(host)];
}

function errorLines(host: FleetHostStatus): string[] {
  const { name, state, lastError, lastErrorSecondsAgo, quarantineSeconds, seenSecondsAgo } = host;
  if (lastError === null) return [];
  if (quarantineSeconds !== null)
    return [`! ${name}: ${problemOf(name, lastError)} (${whatNext({ name, state, quarantineSeconds })})`];
  const ago = lastErrorSecondsAgo ?? Infinity;
  if (ago >= SHOWN_SECONDS) return [];
  const error = cut(problemOf(name, lastError), SHOWN_COLUMNS);
  const isOver = seenSecondsAgo !== null && seenSecondsAgo < ago;
  return [`  ${name}: ${isOver ? 'over now; ' : ''}last error, ${formatSeconds(ago)} ago: ${error}`];
}

function whatNext({
  name,
  state,
  quarantineSeconds,
}: Pick<FleetHostStatus, 'name' | 'state' | 'quarantineSeconds'>): string {
  const again = `tried again ${quarantineSeconds ? `in ${formatSeconds(quarantineSeconds)}` : 'now'}`;
  if (state === 'removed') return `${again}, for a day, to end what it may still run`;
  return state === 'draining' ? again : `${again}; now: npx perpetua fleet resume ${name}`;
}
