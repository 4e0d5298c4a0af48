import { percent } from '../../../../domain/text/format.ts';
import { OUTCOME_LABELS } from '../../parts/outcome/outcome-look.ts';
import type { TrialRow } from '../../../api/trials/rows.ts';
import { outcomeOf } from '../../parts/outcome/outcome-of.ts';
import type { Facet } from './trials-view.ts';

/** Labels of facet values that are unclear by themselves. */
const FACET_LABELS: Partial<Record<Facet, Record<string, string>>> = {
  status: { running: 'under way', timed_out: 'timed out', aborted: 'stopped early', cached: 'known already' },
  verdict: { keep: 'kept', discard: 'discarded', confirm: 'being confirmed', none: 'no verdict' },
};

export const facetLabel = (facet: Facet, value: string): string => FACET_LABELS[facet]?.[value] ?? value;

/** Outcome of a trial in a word or two; for a trial under way, its stage and share. */
export function trialEndLabel(
  row: Pick<TrialRow, 'status' | 'verdict'> & Partial<Pick<TrialRow, 'stage' | 'share'>>,
): string {
  const outcome = outcomeOf(row);
  const { stage = null, share = null } = row;
  if (outcome === null) return `${stage ?? 'under way'}${share === null ? '' : ` ${percent(share)}`}`;
  return outcome === 'failed' ? facetLabel('status', row.status ?? '') : OUTCOME_LABELS[outcome];
}
