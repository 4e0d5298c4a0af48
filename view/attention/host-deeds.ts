import { formatSeconds } from '../../domain/text/format.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { OUTAGE_SECONDS, type Deed } from './deeds.ts';
import type { Finding } from './entry.ts';
import type { AttentionHost } from './facts.ts';

function quarantined(host: AttentionHost): Finding | null {
  const { name, state, quarantineSeconds, lastError, since } = host;
  if (state !== 'serving' || quarantineSeconds === null) return null;
  const again = quarantineSeconds > 0 ? `in ${formatSeconds(quarantineSeconds)}` : 'now';
  return {
    cause: name,
    fingerprint: 'quarantine',
    researches: [],
    title: `Host ${name} is in quarantine`,
    why: `${oneLine(lastError ?? 'it failed')}; next probe ${again}`,
    at: since,
    commands: [`npx perpetua fleet check ${shellWord(name)}`, `npx perpetua fleet resume ${shellWord(name)}`],
  };
}

function unreached(host: AttentionHost): Finding | null {
  const { name, state, quarantineSeconds, seenSecondsAgo, lastError, since } = host;
  if (state !== 'serving' || quarantineSeconds !== null || seenSecondsAgo !== null || lastError === null) return null;
  return {
    cause: name,
    fingerprint: 'unreached',
    researches: [],
    title: `Host ${name} has not been reached yet`,
    why: oneLine(lastError),
    at: since,
    commands: [`npx perpetua fleet check ${shellWord(name)}`],
  };
}

/** Rules for hosts that should lend slots and do not. A quarantine ends by itself if the host recovers. */
export const HOST_DEEDS: readonly Deed<AttentionHost>[] = [
  { name: 'host', level: 'warning', patienceSeconds: OUTAGE_SECONDS, find: quarantined },
  { name: 'host-unreached', level: 'warning', patienceSeconds: 0, find: unreached },
];
