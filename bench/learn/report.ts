import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mean } from 'simple-statistics';
import { packageRoot } from '../../config/paths.ts';
import { svgOf } from './plot.ts';
import { quantile } from '../support/quantile.ts';
import { markdownTable } from './markdown.ts';
import type { Update } from './read.ts';
import { formatEstimate, number } from './number.ts';
import type { RepeatResult, Summary } from './summary.ts';

const DOC = 'docs/experiments/0030-a-small-model-learns-a-learning-rate.md';
const FIGURE = 'docs/figures/learning.svg';
/** Marks in the page; the text between them is replaced. */
const MARKS = ['<!-- bench/learn: begin -->', '<!-- bench/learn: end -->'] as const;
/** Improvement of the best constant learning rate, as in the README of the task. */
const BEST = 0.6;

const percent = (share: number | null): string => (share === null ? '–' : `${Math.round(100 * share)} %`);

/** The arms as a table of Markdown. */
export function tableLines(summaries: readonly Summary[]): string[] {
  const head = [
    'arm',
    'seeds',
    'first 5',
    'last 5',
    'read',
    'held out',
    'read',
    'entropy',
    'gates that fired',
    'CPU s',
  ];
  return markdownTable(
    head,
    summaries.map(({ name, seeds, first, last, heldOut, validShare, entropy, alarms, cpu }) => [
      name,
      String(seeds),
      formatEstimate(first),
      formatEstimate(last),
      percent(validShare),
      heldOut === null ? '–' : formatEstimate(heldOut.mean),
      percent(heldOut?.readShare ?? null),
      entropy === null ? '–' : number(entropy),
      alarms.join(', ') || '–',
      cpu === null ? '–' : String(Math.round(cpu)),
    ]),
  );
}

/** Medians and 90th percentiles of the seconds from the last outcome of a batch to the first sample of its version. */
export function latencyLines(updates: readonly Update[]): string[] {
  const steps = updates.flatMap(({ parts }) => (parts ? [sum(Object.values(parts))] : []));
  const all = updates.flatMap(({ latency: { begin, step, first } }) => (first === null ? [] : [begin + step + first]));
  if (steps.length === 0 || all.length === 0) return [];
  const words = (values: readonly number[]): string =>
    `median ${number(quantile(values, 0.5))} s, 90 % within ${number(quantile(values, 0.9))} s`;
  return [
    `From the last outcome of a batch to the first sample of its version: ${words(all)} (${all.length} updates).`,
    `The step itself: ${words(steps)}.`,
  ];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Writes the lines between the marks of the page, and the curves as a figure. Throws if the page has no marks. */
export function writeReport(
  lines: readonly string[],
  curves: readonly { name: string; colour: string; repeats: readonly RepeatResult[] }[],
): void {
  const file = join(packageRoot(), DOC);
  const text = readFileSync(file, 'utf8');
  const [begin, end] = [text.indexOf(MARKS[0]), text.indexOf(MARKS[1])];
  if (begin < 0 || end < begin) throw new Error(`expected ${MARKS.join(' and ')} in ${DOC}`);
  writeFileSync(file, `${text.slice(0, begin)}${MARKS[0]}\n\n${lines.join('\n')}\n\n${text.slice(end)}`);
  mkdirSync(join(packageRoot(), 'docs/figures'), { recursive: true });
  writeFileSync(join(packageRoot(), FIGURE), figureOf(curves));
}

/** The figure: for each arm, the mean of each update over the repeats. */
function figureOf(curves: readonly { name: string; colour: string; repeats: readonly RepeatResult[] }[]): string {
  const updates = Math.max(...curves.flatMap(({ repeats }) => repeats.map(({ means }) => means.length)));
  const shares = Array.from({ length: updates }, (_, index) => index / Math.max(1, updates - 1));
  const at = (k: number): number => (k - 1) / Math.max(1, updates - 1);
  return svgOf({
    title: 'lr-knob: mean improvement of a batch of 16 proposals',
    shares,
    ticks: [0.8, 0.4, 0, -0.4, -0.8].map((value) => ({ at: value, words: number(value, 1) })),
    axis: {
      words: 'update',
      marks: [1, ...[5, 10, 15, 20, 25].filter((k) => k <= updates)].map((k) => ({ at: at(k), words: String(k) })),
    },
    namesAt: 200,
    lines: [
      ...curves.map(({ name, colour, repeats }) => ({
        name: `${name} (${repeats.length})`,
        colour,
        values: shares.map((_, index) => {
          const values = repeats.flatMap(({ means }) => means[index] ?? []);
          return values.length === 0 ? NaN : mean(values);
        }),
      })),
      { name: 'best constant', colour: '#555', dashed: true, values: shares.map(() => BEST) },
    ],
  });
}
