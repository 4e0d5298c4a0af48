import { oneLine } from '../../../domain/text/sanitize.ts';
import { shellWord } from '../../../domain/text/shell-word.ts';
import { formatSeconds } from '../../../domain/text/format.ts';
import type { Attention } from './attention.ts';

/** What is known of a host of the fleet. */
export interface AttentionHost {
  name: string;
  state: 'serving' | 'draining' | 'removed';
  /** Seconds until it is tried again; null where it is not in quarantine. */
  quarantineSeconds: number | null;
  seenSecondsAgo: number | null;
  lastError: string | null;
  lastErrorSecondsAgo: number | null;
}

/** A host that lends nothing, though it should; null where it does well, or a person took it out. */
export function hostAttention(host: AttentionHost, now: Date): Attention | null {
  const { name, state, quarantineSeconds, seenSecondsAgo, lastError, lastErrorSecondsAgo } = host;
  if (state !== 'serving') return null;
  const away = quarantineSeconds !== null;
  if (!away && (seenSecondsAgo !== null || lastError === null)) return null;
  const again = away ? `; tried again ${quarantineSeconds > 0 ? `in ${formatSeconds(quarantineSeconds)}` : 'now'}` : '';
  return {
    researches: [],
    level: 'warning',
    title: away ? `Host ${name} is out` : `Host ${name} was not reached yet`,
    why: `${oneLine(lastError ?? 'it failed')}${again}`,
    at: lastErrorSecondsAgo === null ? null : new Date(now.getTime() - lastErrorSecondsAgo * 1000).toISOString(),
    commands: [
      `npx perpetua fleet check ${shellWord(name)}`,
      ...(away ? [`npx perpetua fleet resume ${shellWord(name)}`] : []),
    ],
  };
}
