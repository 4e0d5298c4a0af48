import type { UpdateState } from '../../domain/learning/update-state.ts';
import { formatValue } from '../../domain/text/format.ts';
import { describeVersion } from './learning.ts';

/** A trial's sample of a policy: the version that drew it, and the update that learns from it. Plain JSON. */
export interface SampleView {
  /** Version that drew it, from its group; 0: the base model. */
  policyVersion: number;
  /** Checkpoint that drew it, or `base`; null before it was drawn. */
  checkpoint: string | null;
  group: number;
  /** Number of the sample in the order in which samples joined, from 1. */
  seq: number;
  /** Update that learns from it; null if nothing is learnt. */
  update: {
    k: number;
    /** State of the update; `open`: its batch is incomplete. */
    state: UpdateState | 'open';
    /** Reason why the update excludes this sample; null if it does not. */
    skipped: string | null;
    /** Reason why the update made no version; null if it made one, or has not ended. */
    reason: string | null;
  } | null;
}

/** Describes a sample and the version that drew it. */
export function describeSample({ policyVersion, checkpoint, group, seq }: SampleView): string {
  const hash = checkpoint === null || checkpoint === 'base' ? '' : ` (${checkpoint.slice(0, 12)})`;
  const version = describeVersion(policyVersion);
  const drawn = checkpoint === null ? `is to be drawn from ${version}` : `drawn from ${version}${hash}`;
  return `sample ${seq}, of group ${group}, ${drawn}`;
}

/** Describes the update that learns from a sample; null if nothing is learnt. */
export function describeLearnt({ update }: SampleView, reward: number | null): string | null {
  if (update === null) return null;
  const { k, state, skipped, reason } = update;
  const why = reason === null ? '' : `: ${reason}`;
  if (state === 'open') return `none yet: the batch of update ${k} is not full`;
  if (state === 'due' && skipped === null) return `none yet: update ${k} is due`;
  if (state !== 'done' && state !== 'due') return `none: update ${k} made no version (${state})${why}`;
  if (skipped !== null) return `none: update ${k} left it out: ${skipped}`;
  return `update ${k}, which made version ${k}, by a reward of ${formatValue(reward)}`;
}
