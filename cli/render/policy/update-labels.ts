import type { UpdateRow } from '../../../db/reads/policy/read-update-rows.ts';
import { oneLine } from '../../../domain/text/sanitize.ts';
import { formatSeconds } from '../../../domain/text/format.ts';

/** How far an update is, in a word. */
export const updateStateLabel = ({ state, begunAt }: Pick<UpdateRow, 'state' | 'begunAt'>): string =>
  state === 'due' && begunAt !== null ? 'under way' : state;

/** Seconds that its step computed, over all parts; `–` where that is not known. */
export function stepSecondsText({ seconds }: Pick<UpdateRow, 'seconds'>): string {
  const parts = Object.values(seconds ?? {});
  return formatSeconds(parts.length === 0 ? null : parts.reduce((sum, part) => sum + part, 0));
}

/** Gates that it crossed, each with what it does. */
export const firedGateLabels = ({ fired }: Pick<UpdateRow, 'fired'>): string[] =>
  (fired ?? []).map(({ gate }) => oneLine(`${gate.metric} (${gate.then})`));

/** What becomes of its version's weights, in a word; nothing where they go when it is their turn. */
export const weightsLabel = ({ removedAt, held }: Pick<UpdateRow, 'removedAt' | 'held'>): string =>
  removedAt !== null ? 'removed' : held ? 'kept' : '';
