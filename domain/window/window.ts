import { NO_MEASUREMENTS, addMeasurement, type WindowSample } from './window-measurements.ts';
import type { WindowState } from './state.ts';
import { REMEMBER, trimWindow } from './trim.ts';

export { proposalsAhead } from './trim.ts';
export type { WindowSample, WindowState };

/** Facts about the pool. `bounds`, in trials under way, default to slots and 8 × slots + 4. */
export interface WindowInput {
  slots: number;
  /** Initial number of proposals beyond the slots; 1 by default. */
  ahead?: number;
  bounds?: { low: number; high: number };
}

/** Samples of both times that the window needs before it first follows Little's law. */
const FIRST_SAMPLES = 3;

/** The window before the first measurement. Throws RangeError for fewer than one slot. */
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
 * Updates the window with one ended trial. Feed-forward: all slots are busy if slots × (propose + run) / run trials are
 * under way (Little's law). Trim, once a period: the window grows if slots waited for candidates, and shrinks if
 * candidates waited for slots. Between the two limits it does not change, so that it cannot oscillate.
 */
export function adaptWindow(state: WindowState, ended: WindowSample): WindowState {
  const settled = state.settling === 0;
  const measured = addMeasurement(state.measured, ended, { counts: settled, slots: state.slots });
  const next = { ...state, measured, settling: Math.max(0, state.settling - 1) };
  const fed = littlesLaw(next);
  if (state.basis === null) {
    if (fed === null || measured.proposals < FIRST_SAMPLES || measured.runs < FIRST_SAMPLES) return next;
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
 * The window after a change of the pool or of its number of slots. Measured times of trials stay; facts that depend on
 * the number of slots are reset.
 */
export function resizedWindow(state: WindowState, slots: number): WindowState {
  if (slots === state.slots) return state;
  const { low, high } = initialWindow({ slots });
  const measured = { ...state.measured, period: 0, starved: 0, spare: 0 };
  const next = { ...state, slots, low, high, measured, tooSmall: null, patience: REMEMBER, shrunk: false };
  const fed = littlesLaw(next);
  return moved({ ...next, basis: state.basis === null ? null : (fed ?? slots) });
}

/** Number of ended trials in one period, after which the waits are evaluated. */
const period = ({ slots }: WindowState): number => Math.max(12, 2 * slots);

function littlesLaw({ slots, measured }: WindowState): number | null {
  if (measured.propose === null || measured.slot === null || !(measured.slot > 0)) return null;
  return slots * (1 + measured.propose / measured.slot);
}

/** The state with the window basis + extra, within its bounds. After a change, trials under way are not measured. */
function moved(state: WindowState): WindowState {
  const wanted = Math.ceil((state.basis ?? state.slots) + state.extra - 1e-9);
  const window = Math.min(state.high, Math.max(state.low, wanted));
  return window === state.window ? state : { ...state, window, settling: Math.max(window, state.window) };
}
