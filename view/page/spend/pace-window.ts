import type { Phase } from '../../../domain/research/phase.ts';
import type { PhaseSpan } from '../research/phase-spans.ts';

/** Hours over which the pace for a forecast is measured. */
export const PACE_HOURS = 24;
const HOUR_MS = 3_600_000;
/** Phases in which a research spends nothing. */
const IDLE: readonly string[] = ['paused', 'stopped', 'failed'] satisfies Phase[];

/** The time over which the pace of a research is measured. */
export interface PaceWindow {
  from: Date;
  /** Hours from then until now, without pauses and ends. */
  hours: number;
}

/**
 * The last hours, from the first proposal on: before it the baseline takes time and adds no proposal. Null before the
 * first proposal.
 */
export function paceWindow(
  { firstProposalAt, phases }: { firstProposalAt: Date | null; phases: readonly PhaseSpan[] },
  now: Date,
): PaceWindow | null {
  if (firstProposalAt === null) return null;
  const from = new Date(Math.max(firstProposalAt.getTime(), now.getTime() - PACE_HOURS * HOUR_MS));
  const idleMs = phases
    .filter(({ phase }) => IDLE.includes(phase))
    .reduce((sum, span) => {
      const begin = Math.max(from.getTime(), Date.parse(span.from));
      const end = Math.min(now.getTime(), span.to === null ? now.getTime() : Date.parse(span.to));
      return sum + Math.max(0, end - begin);
    }, 0);
  return { from, hours: (now.getTime() - from.getTime() - idleMs) / HOUR_MS };
}
