import type { UpdatePlan } from './plan.ts';

/** Position of a sample: its group and its update, both counted from 1. */
export interface SamplePosition {
  g: number;
  k: number;
}

/** The position of sample number `seq`, counted from 1. Without a plan each sample is alone, and no update follows. */
export function samplePositionOf(seq: number, plan: Pick<UpdatePlan, 'batch' | 'group'> | null): SamplePosition {
  if (plan === null) return { g: seq, k: seq };
  return { g: Math.ceil(seq / plan.group), k: Math.ceil(seq / plan.batch) };
}

/** Number of samples that may still begin. */
export interface SampleRoom {
  /** Null: no limit. */
  room: number | null;
  /** Reason why none may begin; null if some may. */
  waits: string | null;
}

/**
 * Room for samples of a policy that learns: `staleness` batches beyond the one that the next update needs. `joined`
 * samples have a position; `open` ones are admitted and have none yet.
 */
export function sampleRoom(
  { batch, staleness }: Pick<UpdatePlan, 'batch' | 'staleness'>,
  at: { closed: number; due: number | null; joined: number; open: number; halted: string | null; pinned: boolean },
): SampleRoom {
  if (at.pinned) return { room: null, waits: null };
  if (at.halted !== null) return { room: 0, waits: `learning is halted: ${at.halted}` };
  const room = Math.max(0, batch * (at.closed + 1 + staleness) - at.joined - at.open);
  const { closed, due } = at;
  if (room > 0) return { room, waits: null };
  return { room: 0, waits: due === null ? `batch ${closed + 1} is on its way` : `update ${due} is at work` };
}

/** True if a research waits only for its own samples or updates, which continue without help. */
export const isInStep = (reason: string | null): boolean =>
  /^(update|batch) \d+ is (at work|on its way)$/.test(reason ?? '');
