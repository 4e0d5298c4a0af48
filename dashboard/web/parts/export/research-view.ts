import type { Research } from '../../../api/research.ts';
import type { Axis, Series } from '../../../api/series.ts';
import { OUTCOMES } from '../../../api/outcomes.ts';
import { formatCount, formatSeconds, formatUsd, unitText } from '../../../../domain/text/format.ts';
import { formatValue } from '../numbers.ts';
import { bestSoFar, type DotKind } from '../../../../view/figure/drawings/best-so-far.ts';
import { paperPalette } from '../../../../view/figure/palette.ts';
import { tickTexts } from '../../../../view/figure/scale.ts';
import { stemOf, type ExportedView } from '../../../../view/figure/exported-view.ts';
import { lacksBaseline } from '../../../../view/rows/baseline.ts';
import { visibleLine } from '../../../../view/figure/visible-line.ts';
import { OUTCOME_SHAPE_NAMES } from '../outcome/outcome-shape-names.ts';
import { OUTCOME_LABELS } from '../outcome/outcome-look.ts';

const AXIS_LABELS: Record<Axis, string> = {
  trial: 'trials',
  time: 'time since the start',
  slotSeconds: 'time on slots',
  tokens: 'tokens',
  usd: 'USD',
};

export const DOT_KINDS: DotKind[] = OUTCOMES.map((outcome) => ({
  word: OUTCOME_LABELS[outcome],
  role: outcome,
  shape: OUTCOME_SHAPE_NAMES[outcome],
}));

interface ViewInput {
  id: string;
  research: Research;
  series: Series;
}

/** Exported view of a research: its claims, its last verdicts, and the trials of `series` as data. */
export function researchView({ id, research, series }: ViewInput): ExportedView {
  const { status, metric, claims, rulings, now } = research;
  const unit = unitText(metric.unit);
  const sd = status.baseline?.sd ?? null;
  const { dots } = series;
  return {
    stem: stemOf('perpetua', id),
    title: visibleLine(id, 200),
    subtitle:
      `Research of task ${visibleLine(status.task, 100)}, ` + `${visibleLine(metric.name, 100)} (${metric.direction})`,
    at: new Date(now),
    facts: factsOf(research),
    drawings: [
      bestSoFar(
        {
          title: `${visibleLine(id, 80)}: best so far`,
          labels: { x: AXIS_LABELS[series.x], y: `${visibleLine(metric.name, 60)}${unit}` },
          direction: metric.direction,
          kinds: DOT_KINDS,
          xTexts: (ticks) => axisTexts(series.x, ticks),
          dots,
          rawBest: series.rawBest,
          claims: series.claims,
          baseline: series.baseline,
          optimum: series.optimum,
          end: series.end,
        },
        paperPalette,
      ),
    ],
    sections: [
      {
        title: 'Claims',
        note:
          'Fresh runs confirmed each claim. low and high are the 95 % interval. ' +
          'A claim that was replaced is the mean of the runs that won it, which is probably too good.',
        table: {
          columns: ['#', 'trial', visibleLine(metric.name, 60), 'low', 'high', 'runs', 'hypothesis', 'reason'],
          rows: claims.map((claim) => [
            claim.seq,
            claim.ofTrial === null ? 'baseline' : `#${claim.ofTrial}`,
            formatValue(claim.value, sd),
            formatValue(claim.low, sd),
            formatValue(claim.high, sd),
            claim.n,
            visibleLine(claim.hypothesis ?? '', 400),
            visibleLine(claim.reason, 400),
          ]),
        },
        numbers: [0, 2, 3, 4, 5],
        empty: 'Nothing has been claimed yet.',
      },
      {
        title: 'The last verdicts',
        table: {
          columns: ['trial', 'end', 'verdict', visibleLine(metric.name, 60), 'hypothesis', 'reason'],
          rows: rulings.map((ruling) => [
            `#${ruling.n}`,
            ruling.failure ?? ruling.status,
            ruling.verdict,
            formatValue(ruling.value, sd),
            visibleLine(ruling.hypothesis ?? '', 300),
            visibleLine(ruling.reason ?? '', 300),
          ]),
        },
        numbers: [3],
        empty: 'No trial has ended yet.',
      },
    ],
    data: {
      columns: ['trial', series.x === 'trial' ? 'place' : series.x, 'value', 'outcome'],
      rows: dots.n.map((n, index) => [
        n,
        dots.x[index],
        dots.value[index],
        OUTCOMES[dots.outcome[index] ?? -1] ?? null,
      ]),
    },
  };
}

function factsOf({ status, metric, best }: Research): ExportedView['facts'] {
  const unit = unitText(metric.unit);
  const { baseline, trials, spend, phase } = status;
  const sd = baseline?.sd ?? null;
  const known = best !== null && best.low !== null && best.high !== null;
  const interval = known ? `, 95 % ${formatValue(best.low, sd)} to ${formatValue(best.high, sd)}` : '';
  return [
    {
      label: 'Claimed best',
      value: best === null ? 'not measured yet' : `${formatValue(best.value, sd)}${unit}${interval}`,
    },
    { label: 'Unmodified version', value: baselineText(status, unit) },
    { label: 'Phase', value: visibleLine(`${phase}${status.reason === null ? '' : `: ${status.reason}`}`, 200) },
    { label: 'Trials', value: formatCount(trials.started) },
    { label: 'Money', value: formatUsd(spend.usd) },
    { label: 'Tokens', value: formatCount(spend.tokens) },
    { label: 'Time on slots', value: formatSeconds(spend.slotSeconds) },
  ];
}

function baselineText(status: Research['status'], unit: string): string {
  const { baseline } = status;
  if (baseline === null) return lacksBaseline(status) ? 'no value: none of its runs gave a value' : 'not measured yet';
  const { value, sd } = baseline;
  return `${formatValue(value, sd)}${unit} ± ${formatValue(sd, sd)} (sd)`;
}

function axisTexts(x: Axis, ticks: readonly number[]): readonly string[] {
  if (x === 'time' || x === 'slotSeconds') return ticks.map(formatSeconds);
  if (x === 'usd') return ticks.map(formatUsd);
  return x === 'tokens' ? ticks.map(formatCount) : tickTexts(ticks);
}
