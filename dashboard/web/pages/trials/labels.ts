import { percent } from '../../../../domain/text/format.ts';
import { OUTCOME_LABELS } from '../../parts/outcome/outcome-look.ts';
import type { TrialRow } from '../../../api/trials/rows.ts';
import { outcomeOf } from '../../parts/outcome/outcome-of.ts';
import type { Facet } from './trials-view.ts';

/** Words of values that say too little as they stand. */
const FACET_WORDS: Partial<Record<Facet, Record<string, string>>> = {
  status: { running: 'under way', timed_out: 'timed out', aborted: 'stopped early', cached: 'known already' },
  verdict: { keep: 'kept', discard: 'discarded', confirm: 'being confirmed', none: 'no verdict' },
};

export const facetLabel = (facet: Facet, value: string): string => FACET_WORDS[facet]?.[value] ?? value;

/** How a trial ended in a word or two; of one under way, how far it is. */
export function trialEndLabel(
  row: Pick<TrialRow, 'status' | 'verdict'> & Partial<Pick<TrialRow, 'stage' | 'share'>>,
): string {
  const outcome = outcomeOf(row);
  const { stage = null, share = null } = row;
  if (outcome === null) return `${stage ?? 'under way'}${share === null ? '' : ` ${percent(share)}`}`;
  return outcome === 'failed' ? facetLabel('status', row.status ?? '') : OUTCOME_LABELS[outcome];
}
