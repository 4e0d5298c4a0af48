import { OUTCOMES, type Outcome } from '../../../../api/outcomes.ts';
import type { Series } from '../../../../api/series.ts';
import type { DotGroup, Ink, Layer } from '../../../parts/chart/layers.ts';
import { OUTCOME_SHAPES, OUTCOME_LABELS } from '../../../parts/outcome/outcome-look.ts';

/** Numbers of all trials by outcome, for a legend of thinned dots. */
export type OutcomeCounts = Partial<Record<Outcome, number>>;

/** Labels of the lines. */
export const LABELS = {
  claims: 'claimed best ± 95 %',
  raw: 'best run of a proposal, not corrected for selection',
  baseline: 'unmodified ± 1 sd of one run',
  lead: 'lead, not confirmed',
  optimum: 'optimum',
  since: 'since you looked',
} as const;

/** Layers of a research's curve, from the bottom: baseline noise, trials, best run, claims, lead, optimum. */
export function curveLayers(series: Series, counts: OutcomeCounts | null): Layer[] {
  const { dots, rawBest, claims, baseline, lead, optimum, end } = series;
  const layers: Layer[] = [];
  if (baseline)
    layers.push({
      kind: 'level',
      label: LABELS.baseline,
      ink: '--ink-2',
      dash: [5, 4],
      y: baseline.value,
      spread: baseline.sd,
    });
  layers.push({
    kind: 'dots',
    label: 'trials',
    x: dots.x,
    y: dots.value,
    group: dots.outcome,
    groups: OUTCOMES.map((outcome) => groupOf(outcome, counts)),
  });
  layers.push({ kind: 'step', label: LABELS.raw, x: rawBest.x, y: rawBest.value, end, ink: '--ink-2', width: 1 });
  layers.push({
    kind: 'step',
    label: LABELS.claims,
    x: claims.x,
    y: claims.value,
    end,
    low: claims.low,
    high: claims.high,
    ink: '--claim',
    width: 2.5,
  });
  if (lead)
    layers.push({ kind: 'level', far: true, label: LABELS.lead, y: lead.value, ink: '--confirm', dash: [2, 3] });
  if (optimum !== null)
    layers.push({ kind: 'level', far: true, label: LABELS.optimum, y: optimum, ink: '--good', dash: [8, 4] });
  return layers;
}

/** Shade of the stretch from the begin of a period to the end of a series. */
export const sinceLayer = (x: number, end: number): Layer => ({
  kind: 'mark',
  label: LABELS.since,
  x,
  until: Math.max(x, end),
  ink: '--accent',
});

function groupOf(outcome: Outcome, counts: OutcomeCounts | null): DotGroup {
  const group: DotGroup = {
    label: OUTCOME_LABELS[outcome],
    ink: `--${outcome}` as Ink,
    shape: OUTCOME_SHAPES[outcome],
  };
  return counts === null ? group : { ...group, count: counts[outcome] ?? 0 };
}
