import { plural } from '../domain/text/plural.ts';
import type { ShownVerdict, TrialStatus } from '../domain/trial.ts';

export interface TrialCounts {
  /** Trials with a number: ended and under way. */
  started: number;
  ended: number;
  running: number;
  /** Of the ended ones; every status is there. */
  byStatus: Record<TrialStatus, number>;
  /** Of the aborted ones, those that a person stopped; the others looked as if they could not win. */
  cancelled: number;
  /** Of the ended ones; every verdict is there. */
  verdicts: Record<ShownVerdict, number>;
}

export interface SlotCounts {
  /** Slots that are not retired. */
  total: number;
  /** Slots that a trial holds. */
  leased: number;
}

/** The workflow counts trials, not how they ended, and slots, not who holds them. */
export type KnownTrials = Pick<TrialCounts, 'ended' | 'running'> & Partial<TrialCounts>;
export type KnownSlots = Pick<SlotCounts, 'total'> & Partial<SlotCounts>;

/** Non-zero counts in words: `41 completed, 3 crashed`. */
export const describeCounts = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .filter(([, n]) => n > 0)
    .map(([name, n]) => `${n} ${name.replace('_', ' ')}`)
    .join(', ') || 'none';

/** Trials in words; what a person stopped is told apart from what could not win. */
export function describeTrials({ ended, running, byStatus, cancelled = 0 }: KnownTrials): string {
  const all = `${ended} ended, ${running} under way`;
  if (!byStatus) return all;
  const { aborted, ...others } = byStatus;
  const ends = { ...others, 'stopped early': aborted - cancelled, 'stopped by a person': cancelled };
  return `${all} · ${describeCounts(ends)}`;
}

/** The window in words: `2 trials at once`. */
export const describeWindow = (window: number | null): string =>
  window === null ? '–' : `${plural(window, 'trial')} at once`;

/** Slots in words: `1 of 2 busy`; only how many there are where it is not known who holds them. */
export const describeSlots = ({ total, leased }: KnownSlots): string =>
  leased === undefined ? String(total) : `${leased} of ${total} busy`;
