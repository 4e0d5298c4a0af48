import type { WindowMeasurements } from './window-measurements.ts';
import type { WindowState } from './state.ts';

/** Share of a slot's time that it may wait for a candidate: the small positive target lies between the two. */
const TOO_LONG = 0.015;
const SHORT = 0.005;
/** Ready candidates that wait on average, per slot and on top, before the window is made smaller. */
const SPARE_PER_SLOT = 0.25;
const SPARE = 0.75;
/** Periods for which a window that was too small is not tried again; doubled each time it proves too small once more. */
export const REMEMBER = 12;
const LONGEST = 400;

/** Proposals ahead of the slots that a window keeps: so many slots may come free at once without one that waits. */
export const proposalsAhead = (slots: number): number => Math.floor(SPARE + SPARE_PER_SLOT * slots);

/** Moves the trials on top of Little's law (`fed`) by the waits of one period; between the two marks nothing moves. */
export function trimWindow(state: WindowState, measured: WindowMeasurements, fed: number | null): WindowState {
  const cycle = measured.slot ?? 0;
  if (!(cycle > 0) || measured.period === 0) return state;
  const starved = measured.starved / measured.period / cycle;
  const waiting = (state.slots * measured.spare) / measured.period / cycle;
  const aged = age(state);
  if (starved > TOO_LONG) {
    if (state.window >= state.high) return aged;
    const missing = Math.max(0, (fed ?? 0) - (state.basis ?? 0) - base(state));
    const more = Math.max(1, Math.round(Math.min(0.5, starved) * state.slots), Math.ceil(missing));
    const patience = state.shrunk ? Math.min(LONGEST, 2 * state.patience) : state.patience;
    const tooSmall = { window: state.window, periods: patience };
    return { ...aged, extra: base(state) + more, tooSmall, patience, shrunk: false };
  }
  const enough = SPARE + SPARE_PER_SLOT * state.slots;
  const floor = Math.max(state.low, aged.tooSmall ? aged.tooSmall.window + 1 : 0);
  if (starved < SHORT && waiting > enough && state.window > floor) {
    const fewer = Math.min(Math.max(1, Math.floor((waiting - enough) / 2)), state.window - floor);
    return { ...aged, extra: base(state) - fewer, shrunk: true };
  }
  return aged;
}

/** What lies on top of the basis in the window as it is, so that a bound is not overrun unseen. */
const base = (state: WindowState): number => state.window - (state.basis ?? state.slots);

function age(state: WindowState): WindowState {
  const { tooSmall } = state;
  if (!tooSmall) return state;
  return { ...state, tooSmall: tooSmall.periods > 1 ? { ...tooSmall, periods: tooSmall.periods - 1 } : null };
}
