import type { Gate } from '../../domain/learning/gates/gate.ts';
import type { Fault } from '../../domain/report/failure-fault.ts';
import type { StatusView } from '../status.ts';

/** Facts of a research that may need a person. */
export interface AttentionFacts extends Pick<
  StatusView,
  'phase' | 'reason' | 'endpointDown' | 'budget' | 'losingStreak' | 'failedBaseline' | 'contention' | 'queue' | 'wait'
> {
  id: string;
  task: string;
  learning: Pick<NonNullable<StatusView['learning']>, 'version' | 'pinned' | 'halted'> | null;
  /** Trial of the best, if the candidate could have written its score itself, against the will of the task's owner. */
  untrustedBest: string | null;
  /** Model that an evaluator of a run that has ended gets no answer from, with the run's trial and end; else null. */
  evaluatorDown: { trialId: string; model: string; why: string | null; at: string } | null;
  /** Gates that fired in the last day, newest first. */
  gatesFired: { k: number; at: string; words: string; then: Gate['then'] }[];
  /** Names of the fleet's hosts. The disk of any other host is that of a worker's machine. */
  fleetHosts: readonly string[];
  since: Beginnings;
}

/** Beginnings of conditions, in ISO 8601; null if there is no such condition, or if its beginning is unknown. */
export interface Beginnings {
  /** The present phase with the present kind of reason. */
  phase: string | null;
  endpointDown: string | null;
  /** The first limit of the budget that was reached. */
  spent: string | null;
  /** The first of the consecutive failures, with the party that most of them are the fault of. */
  losing: { at: string | null; fault: Fault } | null;
  failedBaseline: { at: string | null; fault: Fault } | null;
}

/** The beginnings of a research without any condition. */
export const NO_BEGINNINGS: Beginnings = {
  phase: null,
  endpointDown: null,
  spent: null,
  losing: null,
  failedBaseline: null,
};

/** Facts of a host that may need a person. */
export interface AttentionHost {
  name: string;
  state: 'serving' | 'draining' | 'removed';
  /** Seconds until its next probe; null if it is not in quarantine. */
  quarantineSeconds: number | null;
  seenSecondsAgo: number | null;
  lastError: string | null;
  /** Beginning of its quarantine, or time of the `fleet apply` that named it, in ISO 8601; null if unknown. */
  since: string | null;
}
