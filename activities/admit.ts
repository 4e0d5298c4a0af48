import type { Admitted, AdmitInput } from '../db/queries/admit.ts';
import type { ActivityDeps } from './deps.ts';

/** Below this, nothing new starts until a person has made room. */
const DISK_FLOOR_BYTES = 512 * 1024 * 1024;

export interface AdmitResult extends Admitted {
  /** Why nothing may start now although there is budget, in words. */
  blocked: string | null;
}

export const createAdmitActivities = ({ store, freeDisk, reach }: ActivityDeps) => ({
  /** Gives numbers to the trials that shall run next; repeated with the same key it returns the same ones. */
  admit: async (input: AdmitInput): Promise<AdmitResult> => {
    const blocked = await diskFull(freeDisk);
    const admitted = await store.admit(blocked ? { ...input, room: 0, proposals: false } : input);
    reach('admitted');
    return { ...admitted, blocked };
  },
});

async function diskFull(freeDisk: () => Promise<number>): Promise<string | null> {
  const free = await freeDisk();
  if (free >= DISK_FLOOR_BYTES) return null;
  const mb = (bytes: number): number => Math.floor(bytes / 1024 / 1024);
  return `disk: ${mb(free)} MiB free, at least ${mb(DISK_FLOOR_BYTES)} MiB needed; make room (npx perpetua clean), it goes on by itself`;
}
