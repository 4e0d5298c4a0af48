import { jobIdOf } from '../job.ts';

/** Pool of the places in which workers run coding agents, each on its own machine. */
export const AGENT_POOL = 'agents';

/** Id of the job in which an agent makes the proposal of a trial. */
export const proposalJobOf = (trialId: string): string => jobIdOf({ kind: 'proposal', name: trialId, token: 'agent' });
