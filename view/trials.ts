import { plural } from '../domain/text/plural.ts';
import type { ShownVerdict, TrialStatus } from '../domain/trial.ts';

export interface TrialCounts {
  /** Trials with a number: ended ones and those under way. */
  started: number;
  ended: number;
  running: number;
  /** Ended trials by status, with every status. */
  byStatus: Record<TrialStatus, number>;
  /** Aborted trials that a person stopped; the rule of early abort stopped the others. */
  cancelled: number;
  /** Completed trials whose value another research measured; absent: none. */
  reused?: number;
  /** Ended trials by verdict, with every verdict. */
  verdicts: Record<ShownVerdict, number>;
}

export interface SlotCounts {
  /** Slots that are not retired. */
  total: number;
  /** Slots that a trial holds. */
  leased: number;
}

/** Trial counts as the workflow knows them, without statuses and verdicts. */
export type KnownTrials = Pick<TrialCounts, 'ended' | 'running'> & Partial<TrialCounts>;
/** Slot counts as the workflow knows them, without the number of leased slots. */
export type KnownSlots = Pick<SlotCounts, 'total'> & Partial<SlotCounts>;

/** Describes non-zero counts: `41 completed, 3 crashed`. */
export const describeCounts = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .filter(([, n]) => n > 0)
    .map(([name, n]) => `${n} ${name.replace('_', ' ')}`)
    .join(', ') || 'none';

/** Describes trials. Those that a person stopped are counted apart from those that early abort stopped. */
export function describeTrials({ ended, running, byStatus, cancelled = 0, reused = 0 }: KnownTrials): string {
  const all = `${ended} ended, ${running} under way`;
  if (!byStatus) return all;
  const { aborted, ...others } = byStatus;
  const ends = { ...others, 'stopped early': aborted - cancelled, 'stopped by a person': cancelled };
  const origin = reused === 0 ? '' : `; ${plural(reused, 'value')} of other researches`;
  return `${all} · ${describeCounts(ends)}${origin}`;
}

/** Describes the window: `2 trials at once`. */
export const describeWindow = (window: number | null): string =>
  window === null ? '–' : `${plural(window, 'trial')} at once`;

/** Describes slots: `1 of 2 busy`; only the total if the number of leased slots is unknown. */
export const describeSlots = ({ total, leased }: KnownSlots): string =>
  leased === undefined ? String(total) : `${leased} of ${total} busy`;
