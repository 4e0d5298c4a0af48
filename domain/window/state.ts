import type { WindowMeasurements } from './window-measurements.ts';

/** The controller's memory; plain JSON. */
export interface WindowState {
  slots: number;
  low: number;
  high: number;
  /** Trials under way at once, from proposal to verdict. */
  window: number;
  /** What Little's law asked for when it was last followed; null until both times are measured. */
  basis: number | null;
  /** Trials on top of it, from measured waits. */
  extra: number;
  /** A window that was found too small, and for how many periods that is believed. */
  tooSmall: { window: number; periods: number } | null;
  /** For how many periods the next one will be believed, and whether the last change made the window smaller. */
  patience: number;
  shrunk: boolean;
  /** Trials that still end under the old window after a change: not measured. */
  settling: number;
  measured: WindowMeasurements;
}
