import type { Trial } from '../../../api/trials/trial.ts';
import { formatCount, formatSeconds, formatUsd, unitText } from '../../../../domain/text/format.ts';
import { formatSigned, formatValue } from '../../parts/numbers.ts';
import { describeKind } from '../../../../view/trial/verdict.ts';

/** A fact of two trials side by side; null if a trial has none. */
export interface Row {
  name: string;
  a: string | null;
  b: string | null;
  differs: boolean;
}

type Fact = (trial: Trial) => string | number | null | undefined;

const formatKnown = <T>(value: T | null | undefined, format: (value: T) => string): string | null =>
  value === null || value === undefined ? null : format(value);

const FACTS: [name: string, fact: Fact][] = [
  ['idea', (trial) => trial.hypothesis],
  ['kind', describeKind],
  ['outcome', (trial) => trial.outcomeWords],
  ['verdict', (trial) => (trial.verdict === 'none' ? null : (trial.verdictWords ?? trial.verdict))],
  ['reason', (trial) => trial.reason],
  ['value', ({ value, metric }) => formatKnown(value, (known) => `${formatValue(known)}${unitText(metric.unit)}`)],
  ['trust', ({ trusted }) => formatKnown(trusted, (isTrusted) => (isTrusted ? 'trusted' : 'untrusted'))],
  ['change against its parent', ({ gotDelta }) => formatKnown(gotDelta, formatSigned)],
  ['expected change', ({ expectedDelta }) => formatKnown(expectedDelta, formatSigned)],
  ['run time', ({ seconds }) => formatKnown(seconds, formatSeconds)],
  ['CPU time', ({ placements }) => formatKnown(placements.at(-1)?.cpuSeconds, formatSeconds)],
  ['cost', ({ usd }) => formatKnown(usd, formatUsd)],
  ['tokens', ({ tokens }) => formatKnown(tokens, formatCount)],
  ['slot', ({ placements }) => placements.at(-1)?.slot],
  ['machine', ({ placements }) => placements.at(-1)?.machine],
  ['end of its run', ({ placements }) => placements.at(-1)?.end],
  ['proposer', (trial) => trial.proposer],
  ['reason for its proposer', (trial) => trial.proposerReason],
  ['parent', ({ parent }) => formatKnown(parent, ({ n }) => `#${n}`)],
  ['reason for its parent', (trial) => trial.parentReason],
  ['operator', (trial) => trial.operator],
  ['staleness', (trial) => trial.staleness],
  ['seed', (trial) => trial.seed],
  ['reward', ({ reward }) => formatKnown(reward?.value, (value) => formatValue(value))],
  ['policy', ({ sample }) => sample?.words],
];

/** The facts that at least one of two trials has. The metrics that the runs reported come last. */
export function rowsOf(a: Trial, b: Trial): Row[] {
  const names = [...new Set([...a.metrics, ...b.metrics].map(({ name }) => name))];
  const metricFact = (name: string): [string, Fact] => [
    `reported ${name}`,
    ({ metrics }) => metrics.find((metric) => metric.name === name)?.value,
  ];
  return [...FACTS, ...names.map(metricFact)].flatMap(([name, fact]) => {
    const [left, right] = [textOf(fact(a)), textOf(fact(b))];
    return left === null && right === null ? [] : [{ name, a: left, b: right, differs: left !== right }];
  });
}

const textOf = (value: string | number | null | undefined): string | null =>
  value === null || value === undefined || value === '' ? null : String(value);

/** Name of a trial beside another one: its number, or its id if the other belongs to another research. */
export const nameBeside = (trial: Pick<Trial, 'trialId' | 'research' | 'n'>, other: Pick<Trial, 'research'>): string =>
  trial.research === other.research ? `#${trial.n}` : trial.trialId;

/** Describes the second trial by its difference in value; null if a trial has no value, or the metrics differ. */
export function differenceOf(a: Trial, b: Trial): string | null {
  if (a.value === null || b.value === null || a.metric.name !== b.metric.name) return null;
  const delta = b.value - a.value;
  const better = a.metric.direction === 'minimize' ? delta < 0 : delta > 0;
  if (delta === 0) return 'has the same value';
  return `is ${formatValue(Math.abs(delta))}${unitText(a.metric.unit)} ${better ? 'better' : 'worse'}`;
}
