import type { UpdateRow } from '../../../db/reads/policy/read-update-rows.ts';
import { oneLine } from '../../../domain/text/sanitize.ts';
import { formatSeconds } from '../../../domain/text/format.ts';

/** Label of an update's state. */
export const updateStateLabel = ({ state, begunAt }: Pick<UpdateRow, 'state' | 'begunAt'>): string =>
  state === 'due' && begunAt !== null ? 'under way' : state;

/** Compute time of an update's step, summed over its parts; `–` if it is not known. */
export function stepSecondsText({ seconds }: Pick<UpdateRow, 'seconds'>): string {
  const parts = Object.values(seconds ?? {});
  return formatSeconds(parts.length === 0 ? null : parts.reduce((sum, part) => sum + part, 0));
}

/** Gates that an update crossed, each with its effect. */
export const firedGateLabels = ({ fired }: Pick<UpdateRow, 'fired'>): string[] =>
  (fired ?? []).map(({ gate }) => oneLine(`${gate.metric} (${gate.then})`));

/** Label of a version's weights: `removed`, `kept`, or empty for weights that will be removed in turn. */
export function weightsLabel({ removedAt, held }: Pick<UpdateRow, 'removedAt' | 'held'>): string {
  if (removedAt !== null) return 'removed';
  return held ? 'kept' : '';
}
