import type { EvaluationKey } from '../../../domain/learning/evaluation/define-evaluation.ts';
import type { EvaluationSummary } from '../../../domain/learning/evaluation/summarize-evaluation.ts';
import type { MeanInterval } from '../../../domain/statistics/mean-interval.ts';
import type { Task } from '../../../domain/task/task.ts';
import { formatSigned, formatValue, percent, unitText } from '../../../domain/text/format.ts';
import { plural } from '../../../domain/text/plural.ts';
import { oneLine } from '../../../domain/text/sanitize.ts';
import { describeVersion } from '../../../view/policy/learning.ts';
import { columns } from '../text/text.ts';

/** An evaluation with its result so far. */
export interface Evaluation {
  /** Id of its research. */
  id: string;
  key: EvaluationKey;
  task: Task;
  /** Hash of the version's checkpoint; null for version 0. */
  checkpoint: string | null;
  summary: EvaluationSummary;
}

/** `perpetua policy eval --json`. */
export const evaluationJson = ({ id, key, task, checkpoint, summary }: Evaluation) => ({
  workflowId: id,
  policy: { workflowId: key.policy, version: key.version, checkpoint },
  task: task.name,
  taskHash: key.taskHash,
  samples: key.samples,
  seed: key.seed,
  ...summary,
});

/** `perpetua policy eval` for people. */
export function renderEvaluation({ id, key, task, summary }: Evaluation): string[] {
  const { metric } = task;
  const { ended, lost, readable, value, reward, baseline, difference, failures } = summary;
  const unit = unitText(metric.unit);
  const rows = [
    [metric.name, `${meanText(value, unit)} over ${plural(value.n, 'scored run')}`],
    ['baseline', `${meanText(baseline, unit)} over ${plural(baseline.n, 'run')}`],
  ];
  if (difference !== null)
    rows.push([
      'difference',
      `${formatSigned(difference.value, value.sd)}${unit} ${intervalText(difference, value.sd)}`,
    ]);
  if (reward !== null) rows.push(['reward', `${meanText(reward, '')} over ${plural(reward.n, 'sample')}`]);
  rows.push(['readable', shareText(readable)]);
  const labels = Object.entries(failures).map(([label, n]) => `${label} ${n}`);
  if (labels.length > 0) rows.push(['no value', labels.join(', ')]);
  if (lost > 0) rows.push(['lost', `${plural(lost, 'sample')}, in no other number`]);
  rows.push(['seed root', oneLine(key.seed)]);
  const samples = ended < key.samples ? `${ended} of ${plural(key.samples, 'sample')}` : plural(ended, 'sample');
  return [
    `${id} · ${describeVersion(key.version)} of ${key.policy} on ${task.name}, ${samples}`,
    ...columns(rows).map((line) => `  ${line.trimEnd()}`),
  ];
}

const meanText = ({ mean, sd, low, high }: MeanInterval, unit: string): string =>
  `${formatValue(mean, sd)}${mean === null ? '' : unit} ${intervalText({ low, high }, sd)}`;

/** A 95 % interval in brackets. */
const intervalText = ({ low, high }: { low: number | null; high: number | null }, sd?: number | null): string =>
  low === null || high === null ? '(no interval)' : `[${formatValue(low, sd)}, ${formatValue(high, sd)}]`;

function shareText({ n, share, low, high }: EvaluationSummary['readable']): string {
  if (share === null) return 'no answers yet';
  return `${percent(share)} [${percent(low)}, ${percent(high)}] of ${plural(n, 'answer')}`;
}
