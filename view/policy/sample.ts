import type { UpdateState } from '../../domain/learning/update-state.ts';
import { formatValue } from '../../domain/text/format.ts';
import { describeVersion } from './learning.ts';

/** A trial's sample of a policy: what drew it, and what learnt from it. Plain JSON. */
export interface SampleView {
  /** The version that drew it, as its group has it; 0: the model as it came. */
  policyVersion: number;
  /** The checkpoint that it was drawn from, or `base`; null before it was drawn. */
  checkpoint: string | null;
  group: number;
  /** 1, 2, …: the order in which samples joined. */
  seq: number;
  /** The update that it is for; null where nothing is learnt. */
  update: {
    k: number;
    /** `open`: its batch is not whole. */
    state: UpdateState | 'open';
    /** Why the update leaves this sample out; null where it does not. */
    skipped: string | null;
    /** Why the update made no version; null where it did, or has not ended. */
    reason: string | null;
  } | null;
}

/** Who drew it, in words. */
export function describeSample({ policyVersion, checkpoint, group, seq }: SampleView): string {
  const hash = checkpoint === null || checkpoint === 'base' ? '' : ` (${checkpoint.slice(0, 12)})`;
  const by = describeVersion(policyVersion);
  const drawn = checkpoint === null ? `is to be drawn from ${by}` : `drawn from ${by}${hash}`;
  return `sample ${seq}, of group ${group}, ${drawn}`;
}

/** The update that learnt from it, in words; null where nothing is learnt. */
export function describeLearnt({ update }: SampleView, reward: number | null): string | null {
  if (update === null) return null;
  const { k, state, skipped, reason } = update;
  const why = reason === null ? '' : `: ${reason}`;
  if (state === 'open') return `none yet: the batch of update ${k} is not whole`;
  if (state === 'due' && skipped === null) return `none yet: update ${k} is due`;
  if (state !== 'done' && state !== 'due') return `none: update ${k} made no version (${state})${why}`;
  if (skipped !== null) return `none: update ${k} left it out: ${skipped}`;
  return `update ${k}, which made version ${k}, by a reward of ${formatValue(reward)}`;
}
