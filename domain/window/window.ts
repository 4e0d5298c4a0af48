import { NO_MEASUREMENTS, addMeasurement, type WindowSample } from './window-measurements.ts';
import type { WindowState } from './state.ts';
import { REMEMBER, trimWindow } from './trim.ts';

export { proposalsAhead } from './trim.ts';
export type { WindowSample, WindowState };

/** What is known of the pool. `bounds` default to slots and 8 × slots + 4 trials under way. */
export interface WindowInput {
  slots: number;
  /** Proposals ahead of the slots to begin with; 1 by default. */
  ahead?: number;
  bounds?: { low: number; high: number };
}

/** Samples of both times before Little's law is followed for the first time. */
const FIRST_LOOK = 3;

/** A window before the first measurement. Throws on fewer than one slot. */
export function initialWindow({ slots, ahead = 1, bounds }: WindowInput): WindowState {
  if (!(slots >= 1)) throw new RangeError(`Expected at least one slot, got ${slots}: register a slot first`);
  const low = Math.max(1, Math.floor(bounds?.low ?? slots));
  const high = Math.max(low, Math.floor(bounds?.high ?? 8 * slots + 4));
  const window = Math.min(high, Math.max(low, slots + ahead));
  const memory = { tooSmall: null, patience: REMEMBER, shrunk: false };
  return { slots, low, high, window, basis: null, extra: ahead, ...memory, settling: 0, measured: NO_MEASUREMENTS };
}

/** Trials that may be under way at once. */
export function windowOf(state: WindowState): number {
  return state.window;
}

/**
 * Takes in one ended trial. Feed-forward: a slot is fed when slots × (propose + run) / run trials are under way (Little's
 * law). Trim: once a period, more where slots waited for candidates, fewer where candidates waited for slots. It stands
 * still in between, so it cannot chase its own tail.
 */
export function adaptWindow(state: WindowState, ended: WindowSample): WindowState {
  const settled = state.settling === 0;
  const measured = addMeasurement(state.measured, ended, { counts: settled, slots: state.slots });
  const next = { ...state, measured, settling: Math.max(0, state.settling - 1) };
  const fed = littlesLaw(next);
  if (state.basis === null) {
    if (fed === null || measured.proposals < FIRST_LOOK || measured.runs < FIRST_LOOK) return next;
    return moved({ ...next, basis: fed });
  }
  if (!settled || measured.period < period(state)) return next;
  const fresh = { ...next, measured: { ...measured, period: 0, starved: 0, spare: 0 } };
  if (fed !== null && Math.abs(fed - state.basis) > Math.max(1.5, 0.2 * state.basis)) {
    return moved({ ...fresh, basis: fed, tooSmall: null, patience: REMEMBER, shrunk: false });
  }
  return moved(trimWindow(fresh, measured, fed));
}

/**
 * The window of a pool that has grown or shrunk, or of another pool: what was measured of a trial stays, what was learned
 * of the number of slots goes.
 */
export function resizedWindow(state: WindowState, slots: number): WindowState {
  if (slots === state.slots) return state;
  const { low, high } = initialWindow({ slots });
  const measured = { ...state.measured, period: 0, starved: 0, spare: 0 };
  const next = { ...state, slots, low, high, measured, tooSmall: null, patience: REMEMBER, shrunk: false };
  const fed = littlesLaw(next);
  return moved({ ...next, basis: state.basis === null ? null : (fed ?? slots) });
}

/** Trials that end before the waits are looked at. */
const period = ({ slots }: WindowState): number => Math.max(12, 2 * slots);

function littlesLaw({ slots, measured }: WindowState): number | null {
  if (measured.propose === null || measured.slot === null || !(measured.slot > 0)) return null;
  return slots * (1 + measured.propose / measured.slot);
}

/** The window that basis and extra add up to; a change settles for as long as its trials are under way. */
function moved(state: WindowState): WindowState {
  const wanted = Math.ceil((state.basis ?? state.slots) + state.extra - 1e-9);
  const window = Math.min(state.high, Math.max(state.low, wanted));
  return window === state.window ? state : { ...state, window, settling: Math.max(window, state.window) };
}
