import { OUTCOMES, type Outcome } from '../../../../api/outcomes.ts';
import type { Series } from '../../../../api/series.ts';
import type { Ink, Layer } from '../../../parts/chart/layers.ts';
import { OUTCOME_SHAPES, OUTCOME_LABELS } from '../../../parts/outcome/outcome-look.ts';

/** Counts by outcome of all trials, where the dots are fewer. */
export type OutcomeCounts = Partial<Record<Outcome, number>>;

/** The names of the lines. */
export const LABELS = {
  claims: 'claimed best ± 95 %',
  raw: 'best run of a proposal, not corrected for selection',
  baseline: 'unmodified ± 1 sd of one run',
  lead: 'lead, not confirmed',
  optimum: 'optimum',
} as const;

/** The course of a research as layers: noise of the unmodified version, trials, best run of a proposal, claims, lead, optimum. */
export function curveLayers(series: Series, counts: OutcomeCounts | null): Layer[] {
  const { dots, rawBest, claims, baseline, lead, optimum, end } = series;
  const level = { kind: 'level', far: true } as const;
  return [
    ...(baseline
      ? [
          {
            ...({ kind: 'level', label: LABELS.baseline, ink: '--ink-2', dash: [5, 4] } as const),
            ...{ y: baseline.value, spread: baseline.sd },
          },
        ]
      : []),
    {
      ...{ kind: 'dots', label: 'trials', x: dots.x, y: dots.value, group: dots.outcome },
      groups: OUTCOMES.map((outcome) => ({
        ...{ label: OUTCOME_LABELS[outcome], ink: `--${outcome}` as Ink, shape: OUTCOME_SHAPES[outcome] },
        ...(counts === null ? {} : { count: counts[outcome] ?? 0 }),
      })),
    },
    {
      ...{ kind: 'step', label: LABELS.raw, x: rawBest.x, y: rawBest.value, end },
      ...{ ink: '--ink-2', width: 1 },
    },
    {
      ...{ kind: 'step', label: LABELS.claims, x: claims.x, y: claims.value, end },
      ...{ low: claims.low, high: claims.high, ink: '--claim', width: 2.5 },
    },
    ...(lead ? [{ ...level, label: LABELS.lead, y: lead.value, ink: '--confirm', dash: [2, 3] } as const] : []),
    ...(optimum === null
      ? []
      : [{ ...level, label: LABELS.optimum, y: optimum, ink: '--good', dash: [8, 4] } as const]),
  ];
}
