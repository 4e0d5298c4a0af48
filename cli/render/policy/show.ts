import type { UpdateRow } from '../../../db/reads/policy/read-update-rows.ts';
import type { SampleLine } from '../../../db/reads/policy/read-samples.ts';
import { oneLine } from '../../../domain/text/sanitize.ts';
import { formatValue, percent } from '../../../domain/text/format.ts';
import { plural } from '../../../domain/text/plural.ts';
import { describeEvaluated, type EvaluatedVersion } from '../../../view/policy/evaluated.ts';
import { describeVersion, type LearningView } from '../../../view/policy/learning.ts';
import { rangesOf, rewardStatisticsOf } from '../../../view/policy/reward-statistics.ts';
import { columns } from '../text/text.ts';
import { stepSecondsText, updateStateLabel } from './update-labels.ts';

interface Shown {
  workflowId: string;
  learning: LearningView;
  /** Null for version 0, the original model. */
  update: UpdateRow | null;
  learntFrom: SampleLine[];
  proposed: SampleLine[];
  /** Held-out values of the version. */
  evaluations: EvaluatedVersion[];
}

/** `perpetua policy show` for people. */
export function renderVersion({ workflowId, learning, update, learntFrom, proposed, evaluations }: Shown): string[] {
  const isVersion = update === null || update.checkpoint !== null;
  const name = isVersion ? describeVersion(update?.k ?? 0) : `update ${update.k}, which made no version`;
  const inForce = isVersion && learning.version === (update?.k ?? 0) ? ' · in force' : '';
  const rows = [
    ...(update === null ? [] : originRows(update, learntFrom)),
    ['proposed', samplesText(proposed)],
    ...evaluations.map((found) => ['held-out', describeEvaluated(found)]),
    ...(update === null ? [] : resultRows(update)),
  ];
  return [`${workflowId} · ${name}${inForce}`, ...columns(rows).map((line) => `  ${line.trimEnd()}`)];
}

function originRows(update: UpdateRow, learntFrom: SampleLine[]): string[][] {
  const { parent, parentCheckpoint, checkpoint, stepKey, reason, removedAt } = update;
  const from = parentCheckpoint === null ? '' : ` (${parentCheckpoint.slice(0, 12)})`;
  const rows = [['state', `${updateStateLabel(update)}${reason === null ? '' : `: ${oneLine(reason)}`}`]];
  if (parent !== null) rows.push(['parent', `${describeVersion(parent)}${from}`]);
  if (checkpoint !== null) rows.push(['checkpoint', checkpoint]);
  if (stepKey !== null) rows.push(['step', removedAt === null ? `checkpoints/${stepKey}` : `${stepKey}, removed`]);
  rows.push(['learnt from', samplesText(learntFrom)]);
  return rows;
}

/** "16 samples, mean reward 0.12, 88 % completed: #4–#19". */
function samplesText(samples: SampleLine[]): string {
  if (samples.length === 0) return 'no samples';
  const { mean, completed } = rewardStatisticsOf(samples);
  const share = completed === null ? '' : `, ${percent(completed)} completed`;
  const numbers = rangesOf(samples.map(({ n }) => n));
  return `${plural(samples.length, 'sample')}, mean reward ${formatValue(mean)}${share}: ${numbers}`;
}

function resultRows(update: UpdateRow): string[][] {
  const { metrics, adjustments, fired, skipped, seconds, versions } = update;
  const rows = [
    ...Object.entries(metrics ?? {}).map(([name, value]) => [oneLine(name), formatValue(value)]),
    ...Object.entries(adjustments ?? {}).map(([key, value]) => ['adjusted', `${oneLine(key)} ${formatValue(value)}`]),
    ...(fired ?? []).map(({ gate, words }) => ['gate', `${gate.then}: ${oneLine(words)}`]),
    ...(skipped ?? []).map(({ id, reason }) => ['left out', `${oneLine(id)}: ${oneLine(reason)}`]),
  ];
  if (seconds !== null) rows.push(['time', `${stepSecondsText(update)}: ${partsOf(seconds)}`]);
  if (versions !== null) rows.push(['computed by', oneLine(partsOf(versions))]);
  return rows;
}

const partsOf = (parts: Record<string, unknown>): string =>
  Object.entries(parts)
    .map(([name, value]) => `${name} ${typeof value === 'number' ? formatPart(value) : String(value)}`)
    .join(', ');

const formatPart = (value: number): string => (Number.isInteger(value) ? String(value) : formatValue(value));
