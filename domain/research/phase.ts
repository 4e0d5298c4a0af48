/** Phases of a research. The stored reason of `waiting` names the cause: model endpoint, budget or disk. */
export const PHASES = ['starting', 'running', 'paused', 'waiting', 'stopping', 'stopped', 'failed'] as const;
export type Phase = (typeof PHASES)[number];

/** Stored reasons of the phase `stopping`: they record how a person stopped the research. */
export const STOPPING_REASONS = {
  now: 'stopped by a person, runs too',
  drain: 'stopped by a person; runs finish',
} as const;

/** Pause and stop as start arguments of a research. */
export interface PauseAndStop {
  paused?: true;
  stopping?: 'drain' | 'now';
}

/** Start arguments that keep a restarted research paused or stopping, from its stored phase and reason. */
export function pauseAndStopIn({ phase, reason }: { phase: Phase; reason: string | null }): PauseAndStop {
  if (phase === 'stopping') return { stopping: reason === STOPPING_REASONS.now ? 'now' : 'drain' };
  return phase === 'paused' ? { paused: true } : {};
}
