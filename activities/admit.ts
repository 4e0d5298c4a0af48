import { knownFacts } from '../domain/search/proposer/makers.ts';
import type { ActivityDeps } from './deps.ts';
import { diskFull } from './host/disk-full.ts';
import { type Admitted, type AdmitInput, admitTrials } from './research/admit-trials.ts';

export interface AdmitResult extends Admitted {
  /** Reason why no trial may start although budget is left, in words; null: trials may start. */
  blocked: string | null;
  /** True if a new proposal may be quick enough to be made inside its trial's workflow task. */
  proposesAtOnce: boolean;
}

/**
 * Reports whether the proposer may run inside a workflow task. An unknown proposer is left to the ordinary activity,
 * which a newer worker may take.
 */
const mayBeAtOnce = (choice: unknown): boolean => knownFacts(choice)?.someAtOnce ?? false;

export const createAdmitActivities = ({ store, machine, scoring, reach }: ActivityDeps) => ({
  /** Admits the trials that run next. A repeated call with the same key returns the same trials. */
  admit: async (input: AdmitInput): Promise<AdmitResult> => {
    const blocked = await diskFull(machine.freeDisk);
    const hashes = { sha256: machine.sha256, hmac: scoring.hmac };
    const admitted = await admitTrials(store, blocked ? { ...input, room: 0, proposals: false } : input, hashes);
    reach('admitted');
    if (admitted.trials.some(({ kind }) => kind === 'evaluation')) reach('evaluation-admitted');
    return { ...admitted, blocked: blocked ?? admitted.failing, proposesAtOnce: mayBeAtOnce(admitted.proposer) };
  },
});
