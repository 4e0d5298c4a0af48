import type { Learning } from '../../../api/learning.ts';
import { percent } from '../../../../domain/text/format.ts';
import { formatValue } from '../../parts/numbers.ts';
import { paperPalette } from '../../../../view/figure/palette.ts';
import { tracesDrawing } from '../../../../view/figure/drawings/trace.ts';
import { stemOf, type ExportedView } from '../../../../view/figure/exported-view.ts';
import { visibleLine } from '../../../../view/figure/visible-line.ts';
import { tracesOf } from './traces.ts';
import { metricName, metricOf, metricsOf, updateStateLabel, gateActionLabel, versionName } from './labels.ts';

/** Limit of curves in the drawing. The data have all metrics. */
const DRAWN = 8;

/** Exported view of the learning of a research, with all updates. */
export function learningView(id: string, learning: Learning, at: Date = new Date()): ExportedView {
  const { algorithm, version, pinned, halted, updates, references, evaluations } = learning;
  const metrics = metricsOf(updates);
  const newest = [...updates].sort((a, b) => b.k - a.k);
  return {
    stem: stemOf('perpetua', id, 'learning'),
    title: `Learning of ${visibleLine(id, 200)}`,
    subtitle:
      algorithm === null ? 'A policy that learns nothing' : `A policy that learns by ${visibleLine(algorithm, 60)}`,
    at,
    facts: [
      { label: 'In force', value: `${versionName(version)}${pinned ? ', pinned' : ''}` },
      { label: 'Updates', value: String(updates.length) },
      ...references.map(({ name, value, stays }) => ({
        label: visibleLine(name, 40),
        value: `${formatValue(value)}${stays === null ? '' : `, not shifted: ${stays}`}`,
      })),
      { label: 'Halted', value: halted === null ? 'no' : visibleLine(halted, 200) },
    ],
    drawings:
      updates.length === 0
        ? []
        : [tracesDrawing(tracesOf(updates, references, evaluations).slice(0, DRAWN), paperPalette)],
    sections: [
      {
        title: 'Updates',
        table: {
          columns: ['update', 'state', 'from', 'samples', 'reward', 'legal', 'gates that fired', 'reason'],
          rows: newest.map((update) => [
            update.k,
            updateStateLabel(update.state),
            update.parent,
            update.samples,
            formatValue(update.reward),
            update.legal === null ? null : percent(update.legal),
            update.gates.map(({ metric, then }) => `${metricName(metric)} (${gateActionLabel(then)})`).join('; '),
            visibleLine(update.reason ?? '', 300),
          ]),
        },
        numbers: [0, 2, 3, 4, 5],
        empty: 'No update yet.',
      },
      {
        title: 'Held-out values',
        table: {
          columns: ['version', 'by', 'samples', 'readable', 'value', 'low', 'high'],
          rows: evaluations.map(({ version: evaluated, source, samples, readable, value, low, high }) => [
            evaluated,
            source === 'within' ? 'search.update.eval' : 'perpetua policy eval',
            samples,
            readable === null ? null : percent(readable),
            formatValue(value),
            formatValue(low),
            formatValue(high),
          ]),
        },
        numbers: [0, 2, 3, 4, 5, 6],
        empty: 'No version was evaluated.',
      },
    ],
    data: {
      columns: ['update', 'state', 'parent', 'in_force', 'samples', 'skipped', ...metrics, 'reward_error', 'gates'],
      rows: [...updates].map((update) => [
        update.k,
        update.state,
        update.parent,
        update.inForce,
        update.samples,
        update.skipped,
        ...metrics.map((metric) => metricOf(update, metric)),
        update.error,
        update.gates.map(({ metric, then }) => `${metric} (${then})`).join('; '),
      ]),
    },
  };
}
