import type { WindowMeasurements } from './window-measurements.ts';

/** State of the window's controller; plain JSON. */
export interface WindowState {
  slots: number;
  low: number;
  high: number;
  /** Trials under way at once, from proposal to verdict. */
  window: number;
  /** Trials by Little's law when the window last followed it; null until both times are measured. */
  basis: number | null;
  /** Trials in addition to `basis`, from measured waits. */
  extra: number;
  /** A window that proved too small, and the number of periods for which it is not tried again. */
  tooSmall: { window: number; periods: number } | null;
  /** Periods for which the next window that proves too small is not tried again. */
  patience: number;
  /** True: the last change made the window smaller. */
  shrunk: boolean;
  /** Trials that still end under the old window after a change; their waits are not measured. */
  settling: number;
  measured: WindowMeasurements;
}
