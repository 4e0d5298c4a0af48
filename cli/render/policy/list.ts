import type { UpdateRow } from '../../../db/reads/policy/read-update-rows.ts';
import { oneLine } from '../../../domain/text/sanitize.ts';
import { formatValue } from '../../../domain/text/format.ts';
import { describeHeirs, describeOrigin, type Descent } from '../../../view/policy/descent.ts';
import { describeEvaluated, type EvaluatedVersion } from '../../../view/policy/evaluated.ts';
import { describeBatch, describeVersion, learningLines, type LearningView } from '../../../view/policy/learning.ts';
import { columns } from '../text/text.ts';
import { firedGateLabels, weightsLabel, stepSecondsText, updateStateLabel } from './update-labels.ts';

/** Metrics of a step that show the state of the policy. */
const METRICS = ['entropy', 'klShare', 'gradNorm'] as const;
const HEAD = ['version', 'update', 'state', 'samples', 'reward', ...METRICS, 'time', 'gates', ''];

interface Listed {
  workflowId: string;
  learning: LearningView;
  updates: UpdateRow[];
  descent: Descent;
  evaluations: EvaluatedVersion[];
}

/** `perpetua policy list` for people. */
export function renderVersions({ workflowId, learning, updates, descent, evaluations }: Listed): string[] {
  const rows = [HEAD, firstRow(learning), ...updates.map((update) => rowOf(update, learning))];
  const reasons = updates.flatMap(({ k, reason }) => (reason === null ? [] : [`update ${k}: ${oneLine(reason)}`]));
  const lines = [...columns(rows).map((line) => line.trimEnd()), ...reasons];
  for (const found of evaluations)
    lines.push(`held-out value of ${describeVersion(found.version)}: ${describeEvaluated(found)}`);
  if (learning.batch !== null) lines.push(describeBatch(learning.batch));
  lines.push(...learningLines({ learning, workflowId }));
  const origin = describeOrigin(descent);
  if (origin !== null) lines.push(`version 0 is ${oneLine(origin)}`);
  lines.push(...describeHeirs(descent).map((line) => `researches that began with ${oneLine(line)}`));
  return lines;
}

/** Row of version 0, the original model, which no update has made. */
const firstRow = (learning: LearningView): string[] => ['0', ...HEAD.slice(1, -1).map(() => '–'), markOf(0, learning)];

function rowOf(update: UpdateRow, learning: LearningView): string[] {
  const { k, checkpoint, batch, rewardMean, metrics } = update;
  return [
    checkpoint === null ? '–' : String(k),
    String(k),
    updateStateLabel(update),
    String(batch.length),
    formatValue(rewardMean),
    ...METRICS.map((name) => formatValue(metrics?.[name])),
    stepSecondsText(update),
    firedGateLabels(update).join(', ') || '–',
    checkpoint === null ? '' : markOf(k, learning) || weightsLabel(update),
  ];
}

function markOf(version: number, learning: LearningView): string {
  if (version !== learning.version) return '';
  const marks = ['in force'];
  if (learning.pinned) marks.push('pinned');
  if (learning.halted !== null) marks.push('halted');
  return marks.join(', ');
}
