import { STILL_SECONDS } from '../domain/pulse.ts';
import type { Phase } from '../domain/research/phase.ts';
import { formatSeconds } from '../domain/text/format.ts';
import { hasEnded } from './phase.ts';

/** State of Temporal. `unknown`: this process has no access to it, or has not asked yet. */
export interface TemporalPulse {
  state: 'answers' | 'silent' | 'unknown';
  /** Age of the oldest workflow task that waits for a worker; 0 if none waits, null if unknown. */
  oldestTaskSeconds: number | null;
}

export interface Pulse {
  /** Seconds since the newest beat of a worker; null if there was none within a day. */
  beatSeconds: number | null;
  temporal: TemporalPulse;
  /** True if a research has not ended, so that it needs a worker. */
  needed: boolean;
}

/** Words for the pulse. `still`: something that a research needs stands still. */
export interface PulseWords {
  still: boolean;
  worker: string;
  temporal: string;
}

/** Describes what works and what stands still. */
export function describePulse({ beatSeconds, temporal, needed }: Pulse): PulseWords {
  const { state, oldestTaskSeconds } = temporal;
  const isOld = (seconds: number | null): boolean => seconds !== null && seconds >= STILL_SECONDS;
  const still = beatSeconds === null || isOld(beatSeconds) || state === 'silent' || isOld(oldestTaskSeconds);
  return { still: still && needed, worker: workerWords(beatSeconds), temporal: temporalWords(temporal) };
}

/** A line about workers that do not report although a research needs one; empty if one reports, or none is known. */
export function describeSilence(phase: Phase, beatSeconds: number | null): string[] {
  if (hasEnded(phase) || beatSeconds === null || beatSeconds < STILL_SECONDS) return [];
  return [`${workerWords(beatSeconds)}: it stands still or has ended. See: npx perpetua doctor`];
}

function workerWords(seconds: number | null): string {
  if (seconds === null) return 'no worker';
  return seconds < STILL_SECONDS ? `worker ${age(seconds)} ago` : `no worker for ${age(seconds)}`;
}

function temporalWords({ state, oldestTaskSeconds: seconds }: TemporalPulse): string {
  if (state === 'silent') return 'Temporal does not answer';
  if (seconds === null || seconds < 1) return '';
  return `a workflow task waits for ${age(seconds)}`;
}

const age = (seconds: number): string => formatSeconds(Math.max(1, Math.round(seconds))).replace(/\.0 s$/, ' s');
