import type { AbortRecord } from '../../../domain/abort/record.ts';
import type { NewEvent } from '../../../domain/event/kinds.ts';
import type { Claimed, GateConfig, GateState, WantedRun } from '../../../domain/gate/types.ts';
import type { FailureLabel, TrialKind, TrialStatus, Verdict } from '../../../domain/trial.ts';
import type { Design } from './design.ts';

/** A trial of the simulated research; times are seconds since the start of the research. */
export interface Played {
  n: number;
  kind: TrialKind;
  ofTrial: number | null;
  candidateId: string | null;
  parentId: string | null;
  parentReason: string | null;
  hypothesis: string | null;
  expectedDelta: number | null;
  created: number;
  ready: number;
  /** Index of the slot; null if nothing runs. */
  slot: number | null;
  started: number | null;
  slotWait: number | null;
  ended: number;
  seconds: number | null;
  status: TrialStatus;
  failure: FailureLabel | null;
  failureMessage: string | null;
  evaluatorNotes: string | null;
  value: number | null;
  abort: AbortRecord | null;
  verdict: Verdict;
  reason: string | null;
  ruled: number | null;
}

/** An event and its time in seconds. */
export interface TimedEvent {
  at: number;
  event: NewEvent;
}

/** A simulated research. */
export interface Story {
  config: GateConfig;
  /** Ended trials, in the order of their ends. */
  ended: Played[];
  /** Open trials at the end; their outcomes lie in the future. */
  open: Played[];
  designs: Map<string, Design>;
  baseline: string;
  claims: (Claimed & { reason: string; at: number })[];
  gate: GateState;
  wanted: WantedRun[];
  events: TimedEvent[];
  /** Seconds of the whole research, and those without starts of trials. */
  totalSeconds: number;
  idleSeconds: number;
}

/** A stretch of time without starts of trials, from a share of the trials on. */
export interface IdleStretch {
  share: number;
  phase: 'paused' | 'waiting';
  reason: string | null;
  seconds: number;
}
