import { oneLine } from '../../text/clean.ts';
import { describeSlots, type SlotCounts } from '../trials.ts';

/** GPUs of a machine that a worker runs on. */
export interface OwnGpusView extends SlotCounts {
  /** As `perpetua fleet` has it. */
  name: string;
  pool: string;
  draining: boolean;
  /** False before the first look at them went well. */
  seen: boolean;
  /** Why none can be lent; null where they can. */
  problem: string | null;
  note: string | null;
}

/** `1 of 2 busy, in the pool gpu`, with what is wrong; null where there are none. */
export function describeOwnGpus(all: readonly OwnGpusView[]): string | null {
  if (all.length === 0) return null;
  const told = all.map((one) => (all.length === 1 ? describe(one) : `${one.name}: ${describe(one)}`));
  return told.join(' · ');
}

function describe({ pool, draining, seen, problem, note, ...slots }: OwnGpusView): string {
  if (problem !== null) return `none can be used now: ${oneLine(problem)}`;
  if (!seen) return 'not looked at yet';
  const beside = [...(draining ? ['drained'] : []), ...(note === null ? [] : [oneLine(note)])];
  return [`${describeSlots(slots)}, in the pool ${pool}`, ...beside].join('; ');
}
