import { jobIdOf } from '../job.ts';

/** Id of the job in which an agent makes the proposal of a trial. */
export const proposalJobOf = (trialId: string): string => jobIdOf({ kind: 'proposal', name: trialId, token: 'agent' });
