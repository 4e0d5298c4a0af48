import type { Phase } from '../domain/research/phase.ts';
import { oneLine } from '../domain/text/sanitize.ts';
import { describeWait, type Wait } from './wait.ts';

/** The wait of trials that hold slots, null if none waits. `othersGetOn`: other trials run meanwhile. */
export interface Waiting {
  wait: Wait | null;
  othersGetOn: boolean;
}

interface Phased {
  phase: Phase;
  reason: string | null;
}

/** The phase, corrected for waits on slots: the workflow counts as running while trials are under way. */
export function phaseWith({ phase, reason }: Phased, { wait, othersGetOn }: Waiting): Phased {
  if (phase !== 'running' || wait === null || othersGetOn) return { phase, reason };
  return { phase: 'waiting', reason: reason ?? describeWait(wait) };
}

/** Describes a phase: `waiting: the model endpoint is down`. */
export const describePhase = ({ phase, reason }: Phased): string => (reason ? `${phase}: ${oneLine(reason)}` : phase);

/** True if the research has ended, so that nothing more starts. */
export const hasEnded = (phase: Phase): boolean => phase === 'stopped' || phase === 'failed';

/** Largest number of researches that are named; the others are only counted. */
const MOST_NAMED = 4;

/**
 * Describes other researches: `my-task running, old paused, 3 more ended (npx perpetua list)`; null if there are none.
 */
export function describeOthers(others: readonly { id: string; phase: Phase }[]): string | null {
  if (others.length === 0) return null;
  const named = others.slice(0, MOST_NAMED).map(({ id, phase }) => `${oneLine(id)} ${phase}`);
  const more = others.slice(MOST_NAMED);
  const state = more.every(({ phase }) => hasEnded(phase)) ? ' ended' : '';
  if (more.length > 0) named.push(`${more.length} more${state}`);
  return `${named.join(', ')} (npx perpetua list)`;
}

/**
 * True if the events so far, up to `last`, include the end of a research. `phase` was read before the events. The event
 * of the end may be delayed, and a restarted research goes on. A research of version 0.1 has no event of its end.
 */
export function hasEndedBy(phase: Phase | undefined, last: { data: unknown } | undefined): boolean {
  if (phase === undefined || !hasEnded(phase)) return false;
  return last === undefined || (last.data as { phase?: unknown } | null)?.phase === phase;
}
