import type { Phase } from '../domain/research/phase.ts';
import { oneLine } from '../domain/text/clean.ts';
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
