import type { ActivityDeps } from './deps.ts';
import { diskFull } from './disk-full.ts';
import { type Admitted, type AdmitInput, admitTrials } from './research/admit-trials.ts';

export interface AdmitResult extends Admitted {
  /** Why nothing may start now although there is budget, in words. */
  blocked: string | null;
}

export const createAdmitActivities = ({ store, machine, reach }: ActivityDeps) => ({
  /** Gives numbers to the trials that shall run next; repeated with the same key it returns the same ones. */
  admit: async (input: AdmitInput): Promise<AdmitResult> => {
    const blocked = await diskFull(machine.freeDisk);
    const admitted = await admitTrials(store, blocked ? { ...input, room: 0, proposals: false } : input);
    reach('admitted');
    return { ...admitted, blocked };
  },
});
