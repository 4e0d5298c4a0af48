import type { Host } from '../../../api/fleet.ts';
import { finePercent, formatSeconds } from '../../../../domain/text/format.ts';

export const HOST_STATE_LABELS: Record<Host['state'], string> = {
  serving: 'serving',
  draining: 'draining: runs finish, no new ones begin',
  removed: 'removed',
  local: 'this machine',
};

/** Time left in quarantine, in words; null if the host is not quarantined. */
export const quarantineText = ({ quarantineSeconds }: Pick<Host, 'quarantineSeconds'>): string | null =>
  quarantineSeconds === null || quarantineSeconds <= 0
    ? null
    : `in quarantine for ${formatSeconds(quarantineSeconds)} more: no new runs begin here`;

/** A share in percent; a dash if it is unknown. */
export const shareText = (share: number | null): string => (share === null ? '–' : finePercent(share));

/** A slot's short name: only the first digits of a GPU's UUID, such as `gpu-1 GPU d66ff362`. */
export const slotName = (id: string): string =>
  id.replace(/\/?GPU-([0-9a-f]{8})-[0-9a-f-]+$/i, (_, start: string) => ` GPU ${start}`);
