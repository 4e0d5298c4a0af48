import type { Trial } from '../../../api/trials/trial.ts';
import {
  formatCount,
  formatSeconds,
  formatSigned,
  formatUsd,
  formatValue,
  unitText,
} from '../../../../domain/text/format.ts';
import { describeKind } from '../../../../view/verdict.ts';

/** A fact of two trials side by side; null where a trial has none. */
export interface Row {
  name: string;
  a: string | null;
  b: string | null;
  differs: boolean;
}

type Fact = (trial: Trial) => string | number | null | undefined;

const or = <T>(value: T | null | undefined, format: (value: T) => string): string | null =>
  value === null || value === undefined ? null : format(value);

const FACTS: [name: string, fact: Fact][] = [
  ['idea', (trial) => trial.hypothesis],
  ['kind', describeKind],
  ['outcome', (trial) => trial.outcomeWords],
  ['verdict', (trial) => (trial.verdict === 'none' ? null : (trial.verdictWords ?? trial.verdict))],
  ['reason', (trial) => trial.reason],
  ['value', ({ value, metric }) => or(value, (one) => `${formatValue(one)}${unitText(metric.unit)}`)],
  ['trust', ({ trusted }) => or(trusted, (one) => (one ? 'trusted' : 'untrusted'))],
  ['change against its parent', ({ gotDelta }) => or(gotDelta, formatSigned)],
  ['expected change', ({ expectedDelta }) => or(expectedDelta, formatSigned)],
  ['run time', ({ seconds }) => or(seconds, formatSeconds)],
  ['CPU time', ({ placements }) => or(placements.at(-1)?.cpuSeconds, formatSeconds)],
  ['cost', ({ usd }) => or(usd, formatUsd)],
  ['tokens', ({ tokens }) => or(tokens, formatCount)],
  ['slot', ({ placements }) => placements.at(-1)?.slot],
  ['machine', ({ placements }) => placements.at(-1)?.machine],
  ['end of its run', ({ placements }) => placements.at(-1)?.end],
  ['proposer', (trial) => trial.proposer],
  ['proposer chosen', (trial) => trial.proposerReason],
  ['parent', ({ parent }) => or(parent, ({ n }) => `#${n}`)],
  ['parent chosen', (trial) => trial.parentReason],
  ['staleness', (trial) => trial.staleness],
  ['seed', (trial) => trial.seed],
  ['reward', ({ reward }) => or(reward?.value, (one) => formatValue(one))],
  ['policy', ({ sample }) => sample?.words],
];

/** The facts of two trials that at least one of them has, numbers that their runs gave last. */
export function rowsOf(a: Trial, b: Trial): Row[] {
  const names = [...new Set([...a.metrics, ...b.metrics].map(({ name }) => name))];
  const given = (name: string): [string, Fact] => [
    `gave ${name}`,
    ({ metrics }) => metrics.find((one) => one.name === name)?.value,
  ];
  return [...FACTS, ...names.map(given)].flatMap(([name, fact]) => {
    const [left, right] = [textOf(fact(a)), textOf(fact(b))];
    return left === null && right === null ? [] : [{ name, a: left, b: right, differs: left !== right }];
  });
}

const textOf = (value: string | number | null | undefined): string | null =>
  value === null || value === undefined || value === '' ? null : String(value);

/** How a trial is called beside another one: by its number, in two researches by its id. */
export const nameIn = (trial: Pick<Trial, 'trialId' | 'research' | 'n'>, other: Pick<Trial, 'research'>): string =>
  trial.research === other.research ? `#${trial.n}` : trial.trialId;

/** How much the second one's value differs, in words; null where one has none, or the metrics are two. */
export function differenceOf(a: Trial, b: Trial): string | null {
  if (a.value === null || b.value === null || a.metric.name !== b.metric.name) return null;
  const delta = b.value - a.value;
  const better = a.metric.direction === 'minimize' ? delta < 0 : delta > 0;
  if (delta === 0) return 'the same value';
  return `${formatSigned(delta)}${unitText(a.metric.unit)}, ${better ? 'better' : 'worse'}`;
}
