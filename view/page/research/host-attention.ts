import { oneLine } from '../../../domain/text/sanitize.ts';
import { shellWord } from '../../../domain/text/shell-word.ts';
import { formatSeconds } from '../../../domain/text/format.ts';
import type { Attention } from './attention.ts';

/** Facts of a host that may need a person. */
export interface AttentionHost {
  name: string;
  state: 'serving' | 'draining' | 'removed';
  /** Seconds until its next probe; null if it is not in quarantine. */
  quarantineSeconds: number | null;
  seenSecondsAgo: number | null;
  lastError: string | null;
  lastErrorSecondsAgo: number | null;
}

/** The condition of a host that should lend slots and does not; null if it is healthy, or if a person removed it. */
export function hostAttention(host: AttentionHost, now: Date): Attention | null {
  const { name, state, quarantineSeconds, seenSecondsAgo, lastError, lastErrorSecondsAgo } = host;
  if (state !== 'serving') return null;
  const away = quarantineSeconds !== null;
  if (!away && (seenSecondsAgo !== null || lastError === null)) return null;
  const again = away ? `; next probe ${quarantineSeconds > 0 ? `in ${formatSeconds(quarantineSeconds)}` : 'now'}` : '';
  const commands = [`npx perpetua fleet check ${shellWord(name)}`];
  if (away) commands.push(`npx perpetua fleet resume ${shellWord(name)}`);
  return {
    researches: [],
    level: 'warning',
    title: away ? `Host ${name} is in quarantine` : `Host ${name} has not been reached yet`,
    why: `${oneLine(lastError ?? 'it failed')}${again}`,
    at: lastErrorSecondsAgo === null ? null : new Date(now.getTime() - lastErrorSecondsAgo * 1000).toISOString(),
    commands,
  };
}
