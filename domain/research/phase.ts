/** Phases of a research; `waiting` says why in its reason (model endpoint, budget, disk). */
export const PHASES = ['starting', 'running', 'paused', 'waiting', 'stopping', 'stopped', 'failed'] as const;
export type Phase = (typeof PHASES)[number];
