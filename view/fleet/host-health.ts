import { formatSeconds } from '../../domain/text/format.ts';
import { withoutHostPrefix } from './without-host-prefix.ts';

/** The stored state of a host, and its health. */
export interface HostHealth {
  name: string;
  state: 'serving' | 'draining' | 'removed';
  /** Seconds since its last successful probe; null if none succeeded. */
  seenSecondsAgo: number | null;
  /** Seconds until its next probe; null if it is not in quarantine. */
  quarantineSeconds: number | null;
  lastError: string | null;
  lastErrorSecondsAgo: number | null;
}

/** Seconds for which a past error is shown, so that a person sees in the morning what failed at night. */
const SHOWN_SECONDS = 86_400;

/** The state of a host for people. */
export function describeHostState({ state, quarantineSeconds, seenSecondsAgo }: HostHealth): string {
  if (state !== 'serving') return state;
  if (quarantineSeconds !== null) return 'quarantine';
  return seenSecondsAgo === null ? 'not probed yet' : state;
}

/** Describes the error of a host in quarantine, and its next probe; null if it is not in quarantine. */
export function describeHostTrouble(host: HostHealth): string | null {
  const { name, lastError, quarantineSeconds } = host;
  if (lastError === null || quarantineSeconds === null) return null;
  return `${withoutHostPrefix(name, lastError)} (${describeNextProbe({ ...host, quarantineSeconds })})`;
}

/** The last error of a host that is not in quarantine, for SHOWN_SECONDS; null if there is none. */
export function lastErrorOf(host: HostHealth): { isOver: boolean; secondsAgo: number; error: string } | null {
  const { name, lastError, quarantineSeconds, seenSecondsAgo } = host;
  const secondsAgo = host.lastErrorSecondsAgo ?? Infinity;
  if (lastError === null || quarantineSeconds !== null || secondsAgo >= SHOWN_SECONDS) return null;
  const isOver = seenSecondsAgo !== null && seenSecondsAgo < secondsAgo;
  return { isOver, secondsAgo, error: withoutHostPrefix(name, lastError) };
}

/** Describes the last error of a host. */
export const describeLastError = ({ isOver, secondsAgo, error }: NonNullable<ReturnType<typeof lastErrorOf>>): string =>
  `${isOver ? 'over now; ' : ''}last error, ${formatSeconds(secondsAgo)} ago: ${error}`;

function describeNextProbe({ name, state, quarantineSeconds }: HostHealth & { quarantineSeconds: number }): string {
  const again = `next probe ${quarantineSeconds ? `in ${formatSeconds(quarantineSeconds)}` : 'now'}`;
  if (state === 'removed') return `${again}; probes go on for a day, to end runs that the host may still have`;
  return state === 'draining' ? again : `${again}; to probe it now: npx perpetua fleet resume ${name}`;
}
