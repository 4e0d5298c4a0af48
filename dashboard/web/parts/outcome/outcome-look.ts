import type { Outcome } from '../../../api/outcomes.ts';

/** Labels of the outcomes. Each outcome also has a shape and a colour, so no reader depends on one of the three. */
export const OUTCOME_LABELS: Record<Outcome, string> = {
  keep: 'kept',
  confirm: 'being confirmed',
  discard: 'discarded',
  absorbed: 'absorbed',
  scored: 'scored',
  'stopped-early': 'stopped early',
  failed: 'failed',
  cached: 'known already',
};

/** SVG paths in a 12 × 12 box, filled or stroked. */
export const OUTCOME_SHAPES: Record<Outcome, { path: string; filled: boolean }> = {
  keep: { path: 'M6 0.5 7.8 4.2 11.7 4.7 8.8 7.5 9.5 11.5 6 9.5 2.5 11.5 3.2 7.5 0.3 4.7 4.2 4.2Z', filled: true },
  confirm: { path: 'M6 1 11 6 6 11 1 6Z', filled: true },
  discard: { path: 'M6 2.5a3.5 3.5 0 1 0 .001 0Z', filled: true },
  absorbed: { path: 'M2 2h8v8H2Z', filled: true },
  scored: { path: 'M6 2.5a3.5 3.5 0 1 0 .001 0Z', filled: false },
  'stopped-early': { path: 'M1 2.5h10L6 11Z', filled: false },
  failed: { path: 'M2 2 10 10M10 2 2 10', filled: false },
  cached: { path: 'M2 6h8', filled: false },
};
