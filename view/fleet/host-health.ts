import { formatSeconds } from '../../domain/text/format.ts';
import { withoutHostPrefix } from './without-host-prefix.ts';

/** A host as its row has it, and how it does. */
export interface HostHealth {
  name: string;
  state: 'serving' | 'draining' | 'removed';
  /** Seconds since a look at it went well; null where none did. */
  seenSecondsAgo: number | null;
  /** Seconds until it is tried again; null where it is not in quarantine. */
  quarantineSeconds: number | null;
  lastError: string | null;
  lastErrorSecondsAgo: number | null;
}

/** How long an error that is over is shown: who comes in the morning sees what died in the night. */
const SHOWN_SECONDS = 86_400;

/** A host's state as people are shown it. */
export function describeHostState({ state, quarantineSeconds, seenSecondsAgo }: HostHealth): string {
  if (state !== 'serving') return state;
  if (quarantineSeconds !== null) return 'quarantine';
  return seenSecondsAgo === null ? 'not tried yet' : state;
}

/** What is wrong with a host, and what comes next; null where it does well. */
export function describeHostTrouble(host: HostHealth): string | null {
  const { name, lastError, quarantineSeconds } = host;
  if (lastError === null || quarantineSeconds === null) return null;
  return `${withoutHostPrefix(name, lastError)} (${whatNext({ ...host, quarantineSeconds })})`;
}

/** The last error of a host that is not in quarantine, while it is news; null where there is none. */
export function lastErrorOf(host: HostHealth): { isOver: boolean; secondsAgo: number; error: string } | null {
  const { name, lastError, quarantineSeconds, seenSecondsAgo } = host;
  const secondsAgo = host.lastErrorSecondsAgo ?? Infinity;
  if (lastError === null || quarantineSeconds !== null || secondsAgo >= SHOWN_SECONDS) return null;
  const isOver = seenSecondsAgo !== null && seenSecondsAgo < secondsAgo;
  return { isOver, secondsAgo, error: withoutHostPrefix(name, lastError) };
}

/** That error in words. */
export const describeLastError = ({ isOver, secondsAgo, error }: NonNullable<ReturnType<typeof lastErrorOf>>): string =>
  `${isOver ? 'over now; ' : ''}last error, ${formatSeconds(secondsAgo)} ago: ${error}`;

function whatNext({ name, state, quarantineSeconds }: HostHealth & { quarantineSeconds: number }): string {
  const again = `tried again ${quarantineSeconds ? `in ${formatSeconds(quarantineSeconds)}` : 'now'}`;
  if (state === 'removed') return `${again}, for a day, to end what it may still run`;
  return state === 'draining' ? again : `${again}; to try it now: npx perpetua fleet resume ${name}`;
}
