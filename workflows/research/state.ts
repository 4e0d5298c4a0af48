import { workflowInfo } from '@temporalio/workflow';
import type { Board } from '../../activities/index.ts';
import { activeSecondsAt } from '../../domain/research/budget.ts';
import { type Phase, STOPPING_REASONS } from '../../domain/research/phase.ts';
import type { TrialEnded, TrialSpec } from '../../domain/trial.ts';
import { adaptWindow, initialWindow, windowOf, type WindowState } from '../../domain/window/window.ts';
import { reconcileEvery } from '../timeouts.ts';
import type { Carry, ResearchInput } from './input.ts';

const ALERTS = 10;

/** Everything the loop knows; rebuilt from `carry` after continue-as-new. */
export interface State {
  input: ResearchInput;
  id: string;
  taskName: string;
  pool: string;
  whenSpent: 'stop' | 'wait';
  searchAttributes: boolean;
  inflight: Map<number, TrialSpec>;
  /** Numbers of the trials that this run of the chain has started or been handed. */
  seen: Set<number>;
  paused: boolean;
  stopping: 'drain' | 'now' | null;
  fixedWindow: number | null;
  window: WindowState;
  ended: number;
  started: number;
  /** Trials started by this run of the chain. */
  startedHere: number;
  /** The database knows the research: what people ask can be done. */
  opened: boolean;
  /** Messages, at work or waiting, that come before the next trials: none is admitted until they are done. */
  messagesBeforeTrials: number;
  /** Ended trials that the search attributes tell of. */
  publishedTrials: number;
  /** An admission is under way. */
  admitting: boolean;
  admissions: number;
  messages: number;
  activeSeconds: number;
  /** Start of the current stretch of work, in ms; null while paused. */
  activeSince: number | null;
  spent: string | null;
  endpointDown: string | null;
  blocked: string | null;
  /** Runs are wanted, and wait since machines lose what they are given. */
  held: boolean;
  /** Why no sample of a policy begins although there is budget, in words. */
  learning: string | null;
  /** The update of the policy that is to be carried out, or is at work, as far as the last admission knew. */
  due: number | null;
  /** Numbers of the updates that this run of the chain has begun, and that go on. */
  updating: Set<number>;
  /** No new proposal before this time, in ms. */
  pacedUntil: number;
  board: Board | null;
  alerts: string[];
  /** Raised by whatever may let the loop go on. */
  version: number;
  /** A trial closed without a word: the database has to be asked at once. */
  reconcileDue: boolean;
  /** Nothing new begins: the run ends or hands over. */
  closing: boolean;
  /** The periodic look at the database is under way. */
  reconciling: boolean;
  /** Knobs that an older version did not store are being read. */
  filling: boolean;
  /** Why the research is over; null while it is not. */
  endReason: string | null;
  published: string;
  /** A person set the window, and the database has not heard of it yet. */
  windowUnheard: boolean;
}

/** A state with nothing in flight, or as the run before handed it over. */
export function createState(input: ResearchInput): State {
  const { carry } = input;
  const { paused = false, stopping = null } = carry ?? input;
  return {
    input,
    id: workflowInfo().workflowId,
    taskName: carry?.taskName ?? input.task,
    pool: carry?.pool ?? 'local',
    whenSpent: carry?.whenSpent ?? 'stop',
    searchAttributes: carry?.searchAttributes ?? false,
    inflight: new Map((carry?.inflight ?? []).map((spec) => [spec.n, spec])),
    seen: new Set((carry?.inflight ?? []).map((spec) => spec.n)),
    paused,
    stopping,
    fixedWindow: carry?.fixedWindow ?? null,
    window: carry?.window ?? initialWindow({ slots: 1 }),
    ended: carry?.ended ?? 0,
    started: carry?.started ?? 0,
    startedHere: 0,
    opened: carry !== undefined,
    messagesBeforeTrials: 0,
    publishedTrials: -1,
    admitting: false,
    admissions: 0,
    messages: 0,
    activeSeconds: carry?.activeSeconds ?? 0,
    activeSince: paused ? null : Date.now(),
    spent: null,
    endpointDown: carry?.endpointDown ?? null,
    blocked: null,
    held: false,
    learning: null,
    due: null,
    updating: new Set(),
    pacedUntil: carry?.pacedUntil ?? 0,
    board: carry?.board ?? null,
    alerts: carry?.alerts ?? [],
    version: 0,
    reconcileDue: false,
    closing: false,
    reconciling: false,
    filling: false,
    endReason: null,
    published: carry?.published ?? '',
    windowUnheard: carry?.windowUnheard ?? false,
  };
}

/** What the next run of the chain needs: ids and counters, plain JSON. */
export function carryOf(state: State): Carry {
  const { taskName, pool, whenSpent, searchAttributes, paused, stopping, fixedWindow, window, ended, started } = state;
  const { endpointDown, pacedUntil, board, alerts, published, windowUnheard } = state;
  return {
    ...{ taskName, pool, whenSpent, searchAttributes, paused, stopping, fixedWindow, window, ended, started },
    ...{ endpointDown, pacedUntil, board, alerts, published, windowUnheard },
    inflight: [...state.inflight.values()],
    activeSeconds: activeSecondsOf(state),
  };
}

/** Seconds under way so far. Neither a pause counts, nor time in which the stack was down. */
export const activeSecondsOf = (state: State): number =>
  activeSecondsAt(state, Date.now(), 2 * reconcileEvery(state.input.tempo ?? 1));

/** Adds the current stretch to the time under way, and begins the next one. At least once per look at the database. */
export function bankTime(state: State): void {
  if (state.activeSince === null) return;
  state.activeSeconds = activeSecondsOf(state);
  state.activeSince = Date.now();
}

export const currentWindow = (state: State): number => state.fixedWindow ?? windowOf(state.window);

/** Takes note that something happened that may let the loop go on. */
export const wake = (state: State): void => {
  state.version += 1;
};

/** Counts an ended trial, once: one that is not in flight was counted before. */
export function countEnded(state: State, ended: TrialEnded): void {
  const spec = state.inflight.get(ended.n);
  if (!state.inflight.delete(ended.n)) return;
  if (spec?.kind === 'search' && ended.status === 'completed') endWait(state);
  state.ended += 1;
  if (state.fixedWindow === null) state.window = adaptWindow(state.window, ended);
  wake(state);
}

/** New proposals are held back no longer: one of them came to something, or a person says so. */
export function endWait(state: State): void {
  state.pacedUntil = 0;
}

export function pauseClock(state: State): void {
  state.activeSeconds = activeSecondsOf(state);
  state.activeSince = null;
}

export function resumeClock(state: State): void {
  state.activeSince ??= Date.now();
}

/** Does what comes before the next trials. */
export async function runBeforeTrials<T>(state: State, work: () => Promise<T>): Promise<T> {
  state.messagesBeforeTrials += 1;
  try {
    return await work();
  } finally {
    state.messagesBeforeTrials -= 1;
    wake(state);
  }
}

/** Keeps a message for people in the status. */
export function addAlert(state: State, message: string): void {
  state.alerts = [...state.alerts, message.slice(0, 300)].slice(-ALERTS);
}

/** Where the research stands, and why, in words. */
export function phaseOf(state: State): { phase: Phase; reason: string | null } {
  if (state.endReason !== null) return { phase: 'stopped', reason: state.endReason };
  if (state.stopping) return { phase: 'stopping', reason: STOPPING_REASONS[state.stopping] };
  if (state.paused) return { phase: 'paused', reason: 'paused by a person; runs finish' };
  const waiting = state.blocked ?? state.endpointDown ?? (state.inflight.size === 0 ? idleReason(state) : null);
  return waiting ? { phase: 'waiting', reason: waiting } : { phase: 'running', reason: null };
}

const idleReason = (state: State): string | null =>
  (state.messagesBeforeTrials > 0 ? 'what people asked is done before the next trial begins' : null) ??
  (state.held ? pacedReason(state) : null) ??
  state.learning ??
  state.spent ??
  pacedReason(state);

const pacedReason = (state: State): string | null =>
  Date.now() < state.pacedUntil ? `${PACED}until ${new Date(state.pacedUntil).toISOString().slice(11, 19)} UTC` : null;

const PACED = 'the last proposals came to nothing (rejected, lost or known already); the next one waits ';

/** A reason without the time in it: another time is no news. */
export const timeless = (reason: string | null): string | null =>
  reason?.startsWith(PACED) ? `${PACED}a little` : reason;
