import type { Admitted, AdmitInput } from '../db/queries/admit.ts';
import type { Board } from '../db/queries/board.ts';
import type { ActivityDeps } from './deps.ts';

/** Below this, nothing new starts until a person has made room. */
const DISK_FLOOR_BYTES = 512 * 1024 * 1024;
/** This many rubbish or lost trials in a row slow the research down. */
const PACE_AFTER = 10;

export interface AdmitResult extends Admitted {
  board: Board | null;
  /** Why nothing may start now although there is budget, in words. */
  blocked: string | null;
  /** Seconds to wait before the next new proposal. */
  paceSeconds: number;
}

export const createAdmitActivities = ({ store, freeDisk, reach }: ActivityDeps) => ({
  /** Gives numbers to the trials that shall run next; repeated with the same key it returns the same ones. */
  admit: async (input: AdmitInput): Promise<AdmitResult> => {
    const blocked = await diskFull(freeDisk);
    const rejected = await store.countFailedInARow(input.researchId);
    const admitted = await store.admit(blocked ? { ...input, room: 0, proposals: false } : input);
    reach('admitted');
    return {
      ...admitted,
      board: await store.readBoard(input.researchId),
      blocked,
      paceSeconds: rejected < PACE_AFTER ? 0 : Math.min(300, 2 ** (rejected - PACE_AFTER) * 5),
    };
  },
});

async function diskFull(freeDisk: () => Promise<number>): Promise<string | null> {
  const free = await freeDisk();
  if (free >= DISK_FLOOR_BYTES) return null;
  const mb = (bytes: number): number => Math.floor(bytes / 1024 / 1024);
  return `disk: ${mb(free)} MiB free, at least ${mb(DISK_FLOOR_BYTES)} MiB needed; make room (perpetua clean), it goes on by itself`;
}
