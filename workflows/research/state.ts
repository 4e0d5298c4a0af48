import { workflowInfo } from '@temporalio/workflow';
import type { Board } from '../../activities/index.ts';
import { activeSecondsAt } from '../../domain/research/budget.ts';
import { type Phase, STOPPING_REASONS } from '../../domain/research/phase.ts';
import type { Sender, Senders } from '../../domain/messages/sender.ts';
import type { TrialEnded, TrialSpec } from '../../domain/trial.ts';
import { adaptWindow, initialWindow, windowOf, type WindowState } from '../../domain/window/window.ts';
import { reconcileEvery } from '../timeouts.ts';
import type { Carry, ResearchInput } from './input.ts';

const ALERTS = 10;

/** State of the loop; rebuilt from `carry` after continue-as-new. */
export interface State {
  input: ResearchInput;
  id: string;
  taskName: string;
  pool: string;
  whenSpent: 'stop' | 'wait';
  searchAttributes: boolean;
  inflight: Map<number, TrialSpec>;
  /** Numbers of the trials that this run of the chain has started or received. */
  seen: Set<number>;
  paused: boolean;
  stopping: 'drain' | 'now' | null;
  fixedWindow: number | null;
  window: WindowState;
  ended: number;
  started: number;
  /** Trials started by this run of the chain. */
  startedHere: number;
  /** True once the database knows the research, so that messages of people can be carried out. */
  opened: boolean;
  /** Messages, at work or waiting, before whose end no trial is admitted. */
  messagesBeforeTrials: number;
  /** Count of ended trials in the search attributes. */
  publishedTrials: number;
  /** True while an admission is under way. */
  admitting: boolean;
  admissions: number;
  messages: number;
  activeSeconds: number;
  /** Start of the current stretch of work, in ms; null while paused. */
  activeSince: number | null;
  spent: string | null;
  endpointDown: string | null;
  blocked: string | null;
  /** True if wanted runs wait because machines lose every run. */
  held: boolean;
  /** Reason why no sample of a policy may begin although budget is left, in words. */
  learning: string | null;
  /** Number of the policy's update that is due or under way, by the last admission. */
  due: number | null;
  /** Numbers of the updates that this run of the chain has started and that go on. */
  updating: Set<number>;
  /** No new proposal before this time, in ms. */
  pacedUntil: number;
  /** True from a person's `resume` until a trial tries again, although the last ones failed alike. */
  retries: boolean;
  board: Board | null;
  alerts: string[];
  /** Counter that each event raises after which the loop may have work. */
  version: number;
  /** True after a trial closed without a result: the research reconciles at once. */
  reconcileDue: boolean;
  /** True once nothing new begins: the run ends or continues as new. */
  closing: boolean;
  /** True while a reconciliation is under way. */
  reconciling: boolean;
  /** True while knobs are stored that an older version did not store. */
  filling: boolean;
  /** Reason for the end of the research; null before. */
  endReason: string | null;
  published: string;
  /** True if a person set the window and the database does not have it yet. */
  windowUnheard: boolean;
  /** Senders of changes that the database does not have yet. */
  senders: Senders;
}

/**
 * A new state with no trial in flight, or the state that the run before carried over. `sender`: of the start, if the
 * start names one.
 */
export function createState(input: ResearchInput, sender: Sender | null = null): State {
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
    retries: carry?.retries ?? false,
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
    senders: { phase: carry ? (carry.senders?.phase ?? null) : sender, window: carry?.senders?.window ?? null },
  };
}

/** The state that the next run of the chain needs: ids and counters, plain JSON. */
export function carryOf(state: State): Carry {
  return {
    taskName: state.taskName,
    pool: state.pool,
    whenSpent: state.whenSpent,
    searchAttributes: state.searchAttributes,
    paused: state.paused,
    stopping: state.stopping,
    fixedWindow: state.fixedWindow,
    window: state.window,
    ended: state.ended,
    started: state.started,
    endpointDown: state.endpointDown,
    pacedUntil: state.pacedUntil,
    retries: state.retries,
    board: state.board,
    alerts: state.alerts,
    published: state.published,
    windowUnheard: state.windowUnheard,
    senders: state.senders,
    inflight: [...state.inflight.values()],
    activeSeconds: activeSecondsOf(state),
  };
}

/** Active seconds so far. A pause does not count, nor does time in which the stack was down. */
export const activeSecondsOf = (state: State): number =>
  activeSecondsAt(state, Date.now(), 2 * reconcileEvery(state.input.tempo ?? 1));

/** Adds the current stretch to the active time, and begins the next one. Called at least once per reconciliation. */
export function bankTime(state: State): void {
  if (state.activeSince === null) return;
  state.activeSeconds = activeSecondsOf(state);
  state.activeSince = Date.now();
}

export const currentWindow = (state: State): number => state.fixedWindow ?? windowOf(state.window);

/** Wakes the loop, which may have work. */
export const wake = (state: State): void => {
  state.version += 1;
};

/** Counts an ended trial, once: a trial that is not in flight was counted before. */
export function countEnded(state: State, ended: TrialEnded): void {
  const spec = state.inflight.get(ended.n);
  if (!state.inflight.delete(ended.n)) return;
  if (spec?.kind === 'search' && ended.status === 'completed') endWait(state);
  state.ended += 1;
  if (state.fixedWindow === null) state.window = adaptWindow(state.window, ended);
  wake(state);
}

/**
 * Keeps a person's `resume` for the next admission if this one made no new try: trials under way, or a full disk, held
 * it back.
 */
export function keepRetry(
  state: State,
  { retries, failing, trials }: { retries: boolean; failing: string | null; trials: readonly unknown[] },
): void {
  if (retries && failing !== null && trials.length === 0) state.retries = true;
}

/** Ends the pause of proposals, after a proposal that completed or by a person's `resume`. */
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

/** Does work before whose end no trial is admitted. */
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

/** Phase of the research, with the reason in words. */
export function phaseOf(state: State): { phase: Phase; reason: string | null } {
  if (state.endReason !== null) return { phase: 'stopped', reason: state.endReason };
  if (state.stopping) return { phase: 'stopping', reason: STOPPING_REASONS[state.stopping] };
  if (state.paused) return { phase: 'paused', reason: 'paused by a person; runs finish' };
  const waiting = state.blocked ?? state.endpointDown ?? (state.inflight.size === 0 ? idleReason(state) : null);
  return waiting ? { phase: 'waiting', reason: waiting } : { phase: 'running', reason: null };
}

const idleReason = (state: State): string | null =>
  (state.messagesBeforeTrials > 0 ? 'messages from people are handled before the next trial begins' : null) ??
  (state.held ? pacedReason(state) : null) ??
  state.learning ??
  state.spent ??
  pacedReason(state);

const pacedReason = (state: State): string | null =>
  Date.now() < state.pacedUntil ? `${PACED}until ${new Date(state.pacedUntil).toISOString().slice(11, 19)} UTC` : null;

const PACED = 'the last proposals came to nothing (rejected, lost or known already); the next one waits ';

/** A reason without the time in it, so that another time alone does not count as a change. */
export const timeless = (reason: string | null): string | null =>
  reason?.startsWith(PACED) ? `${PACED}a little` : reason;
