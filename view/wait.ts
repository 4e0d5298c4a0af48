import { AGENT_POOL } from '../domain/agent/agent-pool.ts';
import { QUEUES } from '../domain/messages/names.ts';
import { plural } from '../domain/text/plural.ts';
import { formatSeconds } from '../domain/text/format.ts';
import { oneLine } from '../domain/text/sanitize.ts';

/** Trials of a research that wait for a slot of a pool, or for a place in which an agent makes their proposal. */
export interface Queue {
  /** Pool of the trial that has waited longest; waits for other pools are not counted. */
  pool: string;
  trials: number;
  /** Seconds of the longest wait. */
  seconds: number;
  /** Slots of the pool that are leased or can be leased now. */
  slots: number;
  /** Slots that trials of any research hold. */
  taken: number;
  /** The first few trials that hold slots, longest leases first. */
  holders: { trial: string; seconds: number }[];
  /** Hosts of the pool that lend no slots now, with the reason. */
  away: { host: string; why: string }[];
}

/** Trials of a research that hold a slot and cannot start on it. */
export interface Wait {
  trials: number;
  /** Obstacle of the oldest such trial, in words. */
  why: string;
}

/** Describes a wait: `2 trials wait for room on the disk of box: …` */
export const describeWait = ({ trials, why }: Wait): string =>
  `${plural(trials, 'trial')} ${trials === 1 ? 'waits' : 'wait'} for ${why}`;

/** Seconds for which trials wait beside a free slot before it seems that no worker places them. */
const UNTAKEN_SECONDS = 60;

/** True if no worker seems to place the trials: a slot stays free, or no worker has places for agents. */
export const seemsUntaken = ({ pool, seconds, slots, taken }: Queue): boolean =>
  (taken < slots && seconds >= UNTAKEN_SECONDS) || (pool === AGENT_POOL && slots === 0);

const AGENT_QUEUE = QUEUES.fleet(AGENT_POOL);
/** Command that starts a worker for the jobs of agents. */
const AGENT_WORKER = `npx perpetua worker --queues=${AGENT_QUEUE}`;
const NO_AGENT_WORKER = `no worker takes proposal jobs (queue ${AGENT_QUEUE}): start one with \`${AGENT_WORKER}\``;

/** Describes trials that no worker seems to place, with the commands that help. */
export function describeUntaken({ pool, trials, seconds }: Queue): { title: string; why: string; commands: string[] } {
  const waited = (what: string): string =>
    `${plural(trials, 'trial')} ${trials === 1 ? 'waits' : 'wait'}${what} for ${formatSeconds(seconds)}`;
  if (pool === AGENT_POOL)
    return {
      title: 'No worker takes proposal jobs',
      why: `${waited(' for an agent')}, and no worker polls ${AGENT_QUEUE}`,
      commands: [AGENT_WORKER],
    };
  return {
    title: 'No worker seems to run',
    why: `${waited('')} though a slot of ${pool} is free`,
    commands: ['npx perpetua worker', 'npx perpetua doctor'],
  };
}

/** Largest number of hosts that are named. */
const MOST_HOSTS = 5;

/**
 * Describes the wait of ready trials: `2 trials wait for a slot of lab, the first for 40 s; 1 of 1 slot is taken:
 * other/3 for 2 min; box is drained`.
 */
export function describeQueue(queue: Queue): string {
  const { trials, seconds } = queue;
  const wait = trials === 1 ? 'waits' : 'wait';
  const waited = `${plural(trials, 'trial')} ${wait} for ${wanted(queue)}, the first for ${formatSeconds(seconds)}`;
  return [waited, ...describeSlots(queue)].join('; ');
}

/** Describes the wait of one ready trial, as a phrase after `waits`. */
export const describeTrialsWait = (queue: Queue): string =>
  [`for ${wanted(queue)}, for ${formatSeconds(queue.seconds)}`, ...describeSlots(queue)].join('; ');

const wanted = ({ pool }: Queue): string => (pool === AGENT_POOL ? 'a place for its agent' : `a slot of ${pool}`);

/** Describes the holders of a pool's slots, and the hosts that lend none. */
function describeSlots(queue: Queue): string[] {
  const { pool, slots, taken, holders, away } = queue;
  if (pool === AGENT_POOL && seemsUntaken(queue)) return [NO_AGENT_WORKER];
  const names = holders.map(({ trial, seconds }) => `${trial} for ${formatSeconds(seconds)}`);
  if (names.length > 0 && taken > names.length) names.push('…');
  const held = names.length === 0 ? '' : `: ${names.join(', ')}`;
  const none = pool !== 'local' && away.length === 0 ? `no host of the fleet is in ${pool}` : `${pool} has no slot now`;
  const unit = pool === AGENT_POOL ? 'place' : 'slot';
  const lent = slots === 0 ? none : `${taken} of ${plural(slots, unit)} ${taken === 1 ? 'is' : 'are'} taken${held}`;
  const named = away.slice(0, MOST_HOSTS).map(({ host, why }) => `${host} ${oneLine(why)}`);
  if (away.length > MOST_HOSTS) named.push(`${plural(away.length - MOST_HOSTS, 'other host')} lend no slot`);
  return [lent, ...named];
}
