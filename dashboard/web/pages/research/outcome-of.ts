import type { Outcome } from '../../../api/outcomes.ts';
import type { Ruling } from '../../../api/research.ts';

/** The outcome that dots show for a trial. */
export function outcomeOf({ status, verdict }: Pick<Ruling, 'status' | 'verdict'>): Outcome {
  if (status === 'aborted') return 'stopped-early';
  if (status === 'cached') return 'cached';
  if (status !== 'completed') return 'failed';
  return verdict === 'none' ? 'scored' : verdict;
}
