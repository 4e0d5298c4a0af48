import type { Phase } from '../domain/research/phase.ts';
import { oneLine } from '../domain/text/sanitize.ts';
import { describeWait, type Wait } from './wait.ts';

/** The wait of trials on slots that they hold, null where none waits; and whether another one gets on meanwhile. */
export interface Waiting {
  wait: Wait | null;
  othersGetOn: boolean;
}

interface Phased {
  phase: Phase;
  reason: string | null;
}

/** The phase with what only the slots know: a workflow that has trials under way takes itself to be running. */
export function phaseWith({ phase, reason }: Phased, { wait, othersGetOn }: Waiting): Phased {
  if (phase !== 'running' || wait === null || othersGetOn) return { phase, reason };
  return { phase: 'waiting', reason: reason ?? describeWait(wait) };
}

/** The phase in words: `waiting: the model endpoint is down`. */
export const describePhase = ({ phase, reason }: Phased): string => (reason ? `${phase}: ${oneLine(reason)}` : phase);

/** True where nothing of the research begins any more. */
export const hasEnded = (phase: Phase): boolean => phase === 'stopped' || phase === 'failed';

/** Researches that are named; the others are counted. */
const NAMED = 4;

/** The other researches in one line: `my-task running, old paused, 3 more stopped (npx perpetua list)`; null where there is none. */
export function describeOthers(others: readonly { id: string; phase: Phase }[]): string | null {
  if (others.length === 0) return null;
  const named = others.slice(0, NAMED).map(({ id, phase }) => `${oneLine(id)} ${phase}`);
  const more = others.slice(NAMED);
  const what = more.every(({ phase }) => hasEnded(phase)) ? ' ended' : '';
  return `${[...named, ...(more.length > 0 ? [`${more.length} more${what}`] : [])].join(', ')} (npx perpetua list)`;
}

/**
 * Whether who was shown the events of a research so far has seen its end. `phase` was read before them: the event that tells
 * of it may be held back for a moment, and a research that was started again goes on. One of 0.1 has no event of its end.
 */
export function hasEndedBy(phase: Phase | undefined, last: { data: unknown } | undefined): boolean {
  if (phase === undefined || !hasEnded(phase)) return false;
  return last === undefined || (last.data as { phase?: unknown } | null)?.phase === phase;
}
