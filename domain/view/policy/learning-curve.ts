import { plainZero } from '../../text/format.ts';

/** One update of a policy: what its batch earned. */
export interface LearningRow {
  /** Number of the update, from 1. */
  update: number;
  /** Mean over its batch; null where no sample has a reward. */
  reward: number | null;
  /** Share of the samples that could be read and run, 0 to 1. */
  legal: number | null;
  /** Of the policy, in nats a token. */
  entropy: number | null;
  /** Gates that it crossed, in words. */
  gates?: readonly string[];
}

/** A mean reward to compare with. */
export interface Reference {
  name: string;
  value: number;
}

export interface LearningCurve {
  rows: readonly LearningRow[];
  /** Updates that the horizontal axis has room for: those that are planned. */
  updates: number;
  /** Values to compare with, each a dotted line with its name. */
  references?: readonly Reference[];
  /** Characters of the widest line. */
  width?: number;
  /** Lines of the plot. */
  height?: number;
}

const LABEL = 7;

/**
 * The mean reward of each update as a plot of text, with the latest numbers below. The vertical axis holds all that is shown, and
 * 0; a column holds the mean of its updates where there are more of them than columns.
 */
export function learningCurveLines({
  rows,
  updates,
  references = [],
  width = 72,
  height = 12,
}: LearningCurve): string[] {
  const span = Math.max(updates, ...rows.map(({ update }) => update), 1);
  const columns = Math.max(1, Math.min(span, width - LABEL - 16));
  const means = columnMeans(rows, { columns, span });
  const shown = [0, ...means.filter((mean) => mean !== null), ...references.map(({ value }) => value)];
  const axis = axisOf(shown, height);
  const plot = Array.from({ length: height }, (_, line) => {
    const names = references.filter(({ value }) => axis.lineOf(value) === line).map(({ name }) => name);
    const behind = names.length > 0 ? '·' : ' ';
    const marks = means.map((mean) => (mean !== null && axis.lineOf(mean) === line ? '●' : behind)).join('');
    return `${axis.labelOf(line).padStart(LABEL - 2)} │${marks}${names.length > 0 ? ` ${names.join(', ')}` : ''}`.trimEnd();
  });
  const last = String(span);
  return [
    ...plot,
    `${' '.repeat(LABEL - 1)}└${'─'.repeat(columns)}`,
    `${' '.repeat(LABEL)}1${columns > last.length + 1 ? last.padStart(columns - 1) : ''}  update`,
    latest(rows),
  ];
}

function columnMeans(
  rows: readonly LearningRow[],
  { columns, span }: { columns: number; span: number },
): (number | null)[] {
  const held = Array.from({ length: columns }, (): number[] => []);
  for (const { update, reward } of rows)
    if (reward !== null) held[Math.floor(((update - 1) * columns) / span)]?.push(reward);
  return held.map((values) =>
    values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length,
  );
}

function axisOf(shown: readonly number[], height: number) {
  const [low, high] = [Math.min(...shown), Math.max(...shown)];
  const step = high > low ? (high - low) / (height - 1) : 1;
  return {
    /** 0 is the line on top. */
    lineOf: (value: number): number => Math.round((high - value) / step),
    labelOf: (line: number): string => plainZero((high - line * step).toFixed(2)),
  };
}

function latest(rows: readonly LearningRow[]): string {
  const row = rows.at(-1);
  return row ? describeUpdate(row) : 'no update yet';
}

/** The batch of an update on one line. */
export function describeUpdate({ update, reward, legal, entropy, gates = [] }: LearningRow): string {
  const said = (name: string, value: number | null, text: (value: number) => string): string[] =>
    value === null ? [] : [`${name} ${text(value)}`];
  return [
    `update ${update}`,
    ...said('reward', reward, (value) => plainZero(value.toFixed(2))),
    ...said('legal', legal, (value) => `${Math.round(100 * value)} %`),
    ...said('entropy', entropy, (value) => plainZero(value.toFixed(3))),
    ...(gates.length > 0 ? [`gates ${gates.join(', ')}`] : []),
  ].join(' · ');
}
