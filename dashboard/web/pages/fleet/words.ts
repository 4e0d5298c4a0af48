import type { Host } from '../../../api/fleet.ts';
import { finePercent, formatSeconds } from '../../../../domain/text/format.ts';

export const HOST_WORDS: Record<Host['state'], string> = {
  serving: 'serving',
  draining: 'draining: what runs ends, nothing new begins',
  removed: 'removed',
  local: 'this machine',
};

/** That it is in quarantine and for how long; null where it is not. */
export const quarantineText = ({ quarantineSeconds }: Pick<Host, 'quarantineSeconds'>): string | null =>
  quarantineSeconds === null || quarantineSeconds <= 0
    ? null
    : `in quarantine for ${formatSeconds(quarantineSeconds)} more: nothing new begins here`;

/** A share in percent; a dash where nothing is known. */
export const shareText = (share: number | null): string => (share === null ? '–' : finePercent(share));
