/** Phases of a research; `waiting` says why in its reason (model endpoint, budget, disk). */
export const PHASES = ['starting', 'running', 'paused', 'waiting', 'stopping', 'stopped', 'failed'] as const;
export type Phase = (typeof PHASES)[number];

/** Reasons of the phase `stopping`, stored with it: they say how a person stopped the research. */
export const STOPPING_REASONS = {
  now: 'stopped by a person, runs too',
  drain: 'stopped by a person; runs finish',
} as const;

/** Pause and stop as start arguments of a research. */
export interface Asked {
  paused?: true;
  stopping?: 'drain' | 'now';
}

/** Start arguments with which a research goes on paused or stopping, by its row. */
export function askedIn({ phase, reason }: { phase: Phase; reason: string | null }): Asked {
  if (phase === 'stopping') return { stopping: reason === STOPPING_REASONS.now ? 'now' : 'drain' };
  return phase === 'paused' ? { paused: true } : {};
}
