import { oneLine } from '../../../domain/text/sanitize.ts';
import { formatSigned, formatValue, percent } from '../../../domain/text/format.ts';
import { describeVersion } from '../../../view/policy/learning.ts';
import type { Difference, RewardStatistics } from '../../../view/policy/reward-statistics.ts';
import { columns } from '../text/text.ts';

interface Side {
  version: number;
  metrics: Record<string, number>;
  rewards: RewardStatistics;
}

interface Compared {
  workflowId: string;
  a: Side;
  b: Side;
  difference: Difference | null;
}

/** `perpetua policy compare` for people. */
export function renderComparison({ workflowId, a, b, difference }: Compared): string[] {
  const names = [...new Set([...Object.keys(a.metrics), ...Object.keys(b.metrics)])];
  const row = (name: string, text: (side: Side) => string): string[] => [`  ${name}`, text(a), text(b)];
  return [
    workflowId,
    ...columns([
      ['', describeVersion(a.version), describeVersion(b.version)],
      ['its samples', '', ''],
      row('samples', ({ rewards }) => String(rewards.drawn)),
      row('with a reward', ({ rewards }) => String(rewards.n)),
      row('mean reward', ({ rewards }) => formatValue(rewards.mean)),
      row('sd', ({ rewards }) => formatValue(rewards.sd)),
      row('completed', ({ rewards }) => (rewards.completed === null ? '–' : percent(rewards.completed))),
      ['its update', '', ''],
      ...names.map((name) => row(oneLine(name), ({ metrics }) => formatValue(metrics[name]))),
    ]).map((line) => line.trimEnd()),
    differenceText({ a, b }, difference),
  ];
}

function differenceText({ a, b }: Pick<Compared, 'a' | 'b'>, difference: Difference | null): string {
  if (difference === null) return 'one of the versions has no sample with a reward, so there is nothing to compare';
  const { value, standardError } = difference;
  const error =
    standardError === null ? 'too few samples for an error' : `± ${formatValue(standardError)} (standard error)`;
  return (
    `mean reward of ${describeVersion(b.version)} minus that of ${describeVersion(a.version)}: ` +
    `${formatSigned(value)}, ${error}`
  );
}
