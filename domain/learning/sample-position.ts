import type { UpdatePlan } from './plan.ts';

/** Where a sample belongs: group and update, both counted from 1. */
export interface SamplePosition {
  g: number;
  k: number;
}

/** The place of the sample that joins as number `seq`, counted from 1; without a plan each is alone, and for no update to come. */
export function samplePositionOf(seq: number, plan: Pick<UpdatePlan, 'batch' | 'group'> | null): SamplePosition {
  if (plan === null) return { g: seq, k: seq };
  return { g: Math.ceil(seq / plan.group), k: Math.ceil(seq / plan.batch) };
}

/** Samples that may still begin. */
export interface SampleRoom {
  /** Null: no limit. */
  room: number | null;
  /** Why there is none, in words; null where there is some. */
  waits: string | null;
}

/**
 * Room for samples of a policy that learns: so many batches ahead of its updates as its plan lets them be stale. `joined` have
 * their place, `open` were admitted and have none yet.
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

/** Whether a research waits for nothing but the order of samples and updates, which goes on by itself. */
export const isInStep = (reason: string | null): boolean =>
  /^(update|batch) \d+ is (at work|on its way)$/.test(reason ?? '');
