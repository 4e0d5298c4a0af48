/** Phases of a research; `waiting` says why in its reason (model endpoint, budget, disk). */
export const PHASES = ['starting', 'running', 'paused', 'waiting', 'stopping', 'stopped', 'failed'] as const;
export type Phase = (typeof PHASES)[number];

/** Reasons of the phase `stopping`, stored with it: an upgrade reads from them how a person stopped the research. */
export const STOPPING_REASONS = {
  now: 'stopped by a person, runs too',
  drain: 'stopped by a person; runs finish',
} as const;
