import type { WindowMeasurements } from './window-measurements.ts';
import type { WindowState } from './state.ts';

/** Share of a slot's time spent waiting for candidates above which the window grows. */
const TOO_LONG = 0.015;
/** Share of waiting below which the window may shrink. Between the two nothing changes. */
const SHORT = 0.005;
/** Average waiting candidates, per slot, beyond which the window shrinks; see also SPARE. */
const SPARE_PER_SLOT = 0.25;
/** Constant part of that number, for any number of slots. */
const SPARE = 0.75;
/** Periods for which a window that was too small is not tried again. Each further failure doubles the number. */
export const REMEMBER = 12;
/** Largest such number of periods. */
const LONGEST = 400;

/** Proposals beyond the slots that a window keeps: that many slots can come free at once without a wait. */
export const proposalsAhead = (slots: number): number => Math.floor(SPARE + SPARE_PER_SLOT * slots);

/**
 * Adjusts the window by the waits of one period. `fed`: trials that Little's law requires. Between the limits nothing
 * changes.
 */
export function trimWindow(state: WindowState, measured: WindowMeasurements, fed: number | null): WindowState {
  const cycle = measured.slot ?? 0;
  if (!(cycle > 0) || measured.period === 0) return state;
  const starved = measured.starved / measured.period / cycle;
  const waiting = (state.slots * measured.spare) / measured.period / cycle;
  const aged = age(state);
  if (starved > TOO_LONG) {
    if (state.window >= state.high) return aged;
    const missing = Math.max(0, (fed ?? 0) - (state.basis ?? 0) - actualExtra(state));
    const more = Math.max(1, Math.round(Math.min(0.5, starved) * state.slots), Math.ceil(missing));
    const patience = state.shrunk ? Math.min(LONGEST, 2 * state.patience) : state.patience;
    const tooSmall = { window: state.window, periods: patience };
    return { ...aged, extra: actualExtra(state) + more, tooSmall, patience, shrunk: false };
  }
  const enough = SPARE + SPARE_PER_SLOT * state.slots;
  const floor = Math.max(state.low, aged.tooSmall ? aged.tooSmall.window + 1 : 0);
  if (starved < SHORT && waiting > enough && state.window > floor) {
    const fewer = Math.min(Math.max(1, Math.floor((waiting - enough) / 2)), state.window - floor);
    return { ...aged, extra: actualExtra(state) - fewer, shrunk: true };
  }
  return aged;
}

/** Trials beyond the basis in the actual window. Unlike `extra`, they cannot exceed the window's bounds. */
const actualExtra = (state: WindowState): number => state.window - (state.basis ?? state.slots);

function age(state: WindowState): WindowState {
  const { tooSmall } = state;
  if (!tooSmall) return state;
  return { ...state, tooSmall: tooSmall.periods > 1 ? { ...tooSmall, periods: tooSmall.periods - 1 } : null };
}
