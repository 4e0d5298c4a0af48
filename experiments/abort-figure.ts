/**
 * What is wrong with the published power law, in two plots: how well its forecasts rank runs by their ends, against the plain
 * value at the same share; and how far they miss, against what its test takes its error to be.
 *   npx tsx experiments/abort-figure.ts CURVES.jsonl [track]      (writes docs/figures/power-law*.svg and prints the values)
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../config/paths.ts';
import { shareCurve, windowMean } from '../domain/abort/share-curve.ts';
import { WINDOW } from '../domain/abort/rules/matched-time/state.ts';
import { valueAtEnd, fitPowerLaw } from '../domain/abort/rules/power-law/fit.ts';
import { spreadOf } from '../domain/abort/rules/power-law-sprt.ts';
import { ordersOf } from '../domain/abort/replay/replay-order.ts';
import { loadCurves } from '../tasks/curves/load-curves.ts';
import { svgOf, type Plot } from '../bench/learn/plot.ts';

const SHARES = Array.from({ length: 18 }, (_, i) => (i + 2) / 20);
/** Shuffles over which the spread of improvements is averaged. */
const ORDERS = 200;
const [RED, BLUE, GREY] = ['#c0392b', '#2c6fbb', '#555'];

/** Spearman's rank correlation; ties in the order of the list. */
function rankCorrelation(xs: readonly number[], ys: readonly number[]): number {
  const [a, b] = [ranks(xs), ranks(ys)];
  const n = a.length;
  const sum = a.reduce((total, rank, i) => total + (rank - (b[i] ?? 0)) ** 2, 0);
  return 1 - (6 * sum) / (n * (n * n - 1));
}

function ranks(values: readonly number[]): number[] {
  const order = values.map((value, i) => ({ value, i })).sort((one, other) => one.value - other.value);
  const rank = new Array<number>(values.length).fill(0);
  order.forEach(({ i }, place) => (rank[i] = place));
  return rank;
}

const [, , file = '', track = 'track_3_optimization'] = process.argv;
const runs = (await loadCurves(file, { track })).curves
  .filter(({ points, final }) => final >= 0.5 && points.every(({ value }) => Number.isFinite(value)))
  .map(({ points, budget, final }) => ({ curve: shareCurve(points, budget, 'minimize'), final }));

const finals = runs.map(({ final }) => final);
const forecasts = SHARES.map((share) =>
  runs.map(({ curve }) => {
    const fit = fitPowerLaw(curve, share);
    return fit === null ? null : valueAtEnd(fit);
  }),
);
const values = SHARES.map((share) => runs.map(({ curve }) => windowMean(curve, share, WINDOW)));

/** Both lists without the runs that have no guess. */
function known(guesses: readonly (number | null)[]): [number[], number[]] {
  const pairs = guesses.flatMap((guess, i) => (guess === null ? [] : [[guess, finals[i] ?? 0] as const]));
  return [pairs.map(([guess]) => guess), pairs.map(([, final]) => final)];
}

const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;
const rms = (list: readonly number[]): number => Math.sqrt(mean(list.map((value) => value * value)));

/** Root mean square of forecast minus final. */
function missOf(guesses: readonly (number | null)[]): number {
  const [xs, ys] = known(guesses);
  return rms(xs.map((x, i) => x - (ys[i] ?? 0)));
}

/** The same of the least squares line of the final on the value, over all runs. */
function missOfLine(guesses: readonly (number | null)[]): number {
  const [xs, ys] = known(guesses);
  const [mx, my] = [mean(xs), mean(ys)];
  const slope = mean(xs.map((x, i) => (x - mx) * ((ys[i] ?? 0) - my))) / mean(xs.map((x) => (x - mx) ** 2));
  return rms(xs.map((x, i) => (ys[i] ?? 0) - my - slope * (x - mx)));
}

const level = (value: number): number[] => SHARES.map(() => value);

/** What the published test divides by: the spread of past improvements; the median over the runs of shuffled orders that have one. */
function assumedError(): number {
  const spreads: number[] = [];
  for (const order of ordersOf(runs.length, { repeats: ORDERS, seed: 1 })) {
    const incumbents: number[] = [];
    for (const index of order) {
      const spread = spreadOf(incumbents);
      if (spread !== null) spreads.push(spread);
      const final = finals[index] ?? 0;
      if (final < (incumbents.at(-1) ?? Infinity)) incumbents.push(final);
    }
  }
  return spreads.sort((a, b) => a - b)[Math.floor(spreads.length / 2)] ?? NaN;
}

const plots: Record<string, Plot> = {
  'power-law.svg': {
    title: `Rank correlation with the final loss, ${runs.length} runs of ${track}`,
    shares: SHARES,
    ticks: [1, 0.8, 0.6, 0.4, 0.2, 0, -0.2].map((at) => ({ at, words: at.toFixed(1) })),
    namesAt: 280,
    lines: [
      {
        name: 'power law, extrapolated to the end',
        colour: RED,
        values: forecasts.map((guesses) => rankCorrelation(...known(guesses))),
      },
      {
        name: 'mean value at the same share (matched-time)',
        colour: BLUE,
        values: values.map((guesses) => rankCorrelation(...known(guesses))),
      },
    ],
  },
  'power-law-error.svg': {
    title: `Error of a forecast of the final loss, ${runs.length} runs of ${track}`,
    shares: SHARES,
    scale: 'log',
    ticks: [0.001, 0.01, 0.1, 1].map((at) => ({ at, words: String(at) })),
    namesAt: 60,
    lines: [
      { name: 'power law: how far it misses (RMS)', colour: RED, values: forecasts.map(missOf) },
      { name: 'power law: what its test takes that to be', colour: RED, dashed: true, values: level(assumedError()) },
      { name: 'line through the value at the same share (RMS)', colour: BLUE, values: values.map(missOfLine) },
      {
        name: 'how much the finals differ (sd)',
        colour: GREY,
        dashed: true,
        values: level(rms(finals.map((final) => final - mean(finals)))),
      },
    ],
  },
};

for (const [name, plot] of Object.entries(plots)) {
  writeFileSync(join(packageRoot(), 'docs/figures', name), svgOf(plot));
  for (const line of plot.lines)
    process.stdout.write(
      `${name}, ${line.name}: ${SHARES.map((share, k) => `${Math.round(share * 100)} % ${(line.values[k] ?? NaN).toPrecision(2)}`).join(', ')}\n`,
    );
}
