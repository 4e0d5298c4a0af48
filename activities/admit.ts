import { knownFacts } from '../domain/search/proposer/makers.ts';
import type { ActivityDeps } from './deps.ts';
import { diskFull } from './host/disk-full.ts';
import { type Admitted, type AdmitInput, admitTrials } from './research/admit-trials.ts';

export interface AdmitResult extends Admitted {
  /** Why nothing may start now although there is budget, in words. */
  blocked: string | null;
  /** New proposals may be made within a second, in their trial's workflow task. */
  proposesAtOnce: boolean;
}

/** A proposer that this build does not know is left to the ordinary activity, which a newer worker may take. */
const mayBeAtOnce = (choice: unknown): boolean => knownFacts(choice)?.someAtOnce ?? false;

export const createAdmitActivities = ({ store, machine, scoring, reach }: ActivityDeps) => ({
  /** Gives numbers to the trials that shall run next; repeated with the same key it returns the same ones. */
  admit: async (input: AdmitInput): Promise<AdmitResult> => {
    const blocked = await diskFull(machine.freeDisk);
    const hashes = { sha256: machine.sha256, hmac: scoring.hmac };
    const admitted = await admitTrials(store, blocked ? { ...input, room: 0, proposals: false } : input, hashes);
    reach('admitted');
    return { ...admitted, blocked, proposesAtOnce: mayBeAtOnce(admitted.proposer) };
  },
});
