/**
 * How well early values rank runs by their ends: the published power law against the plain value at the same share.
 *   npx tsx bench/abort/figure.ts CURVES.jsonl [track] > docs/figures/power-law.svg      (the figures go to stderr)
 */
import { readFileSync } from 'node:fs';
import { shareCurve, windowMean } from '../../domain/abort/curve.ts';
import { WINDOW } from '../../domain/abort/matched-time/state.ts';
import { atEnd, fitPowerLaw } from '../../domain/abort/power-law/fit.ts';
import { readCurves } from '../../tasks/read-curves.ts';

const SHARES = Array.from({ length: 18 }, (_, i) => (i + 2) / 20);
const [WIDTH, HEIGHT, LEFT, TOP] = [640, 360, 60, 40];

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
const runs = readCurves(readFileSync(file, 'utf8'), { track })
  .curves.filter(({ points, final }) => final >= 0.5 && points.every(({ value }) => Number.isFinite(value)))
  .map(({ points, budget, final }) => ({ curve: shareCurve(points, budget, 'minimize'), final }));

const lines = [
  {
    name: 'power law, extrapolated to the end',
    colour: '#c0392b',
    at: (share: number) => runs.map(({ curve }) => forecastAt(curve, share)),
  },
  {
    name: 'mean value at the same share (matched-time)',
    colour: '#2c6fbb',
    at: (share: number) => runs.map(({ curve }) => windowMean(curve, share, WINDOW)),
  },
].map(({ name, colour, at }) => ({ name, colour, values: SHARES.map((share) => correlation(at(share))) }));

function forecastAt(curve: (typeof runs)[number]['curve'], share: number): number | null {
  const fit = fitPowerLaw(curve, share);
  return fit === null ? null : atEnd(fit);
}

function correlation(guesses: readonly (number | null)[]): number {
  const known = guesses.flatMap((guess, i) => (guess === null ? [] : [{ guess, final: runs[i]?.final ?? 0 }]));
  return rankCorrelation(
    known.map(({ guess }) => guess),
    known.map(({ final }) => final),
  );
}

const lowest = Math.min(
  0,
  Math.floor(Math.min(...lines.flatMap(({ values }) => values.filter(Number.isFinite))) * 5) / 5,
);
const x = (share: number): string => (LEFT + share * (WIDTH - LEFT - 20)).toFixed(1);
const y = (value: number): string => (TOP + ((1 - value) / (1 - lowest)) * (HEIGHT - TOP - 50)).toFixed(1);
const text = (at: { x: string; y: number; anchor: string }, words: string): string =>
  `<text x="${at.x}" y="${at.y}" text-anchor="${at.anchor}">${words}</text>`;
/** Without the shares at which there are too few points for a guess. */
const pathOf = (values: readonly number[]): string =>
  values.flatMap((value, k) => (Number.isFinite(value) ? [`${x(SHARES[k] ?? 0)},${y(value)}`] : [])).join(' ');
const ticks = Array.from({ length: Math.round((1 - lowest) / 0.2) + 1 }, (_, i) => 1 - i * 0.2);

process.stdout.write(
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    text(
      { x: x(0.5), y: 20, anchor: 'middle' },
      `Rank correlation with the final loss, ${runs.length} runs of ${track}`,
    ),
    ...ticks.flatMap((tick) => [
      `<line x1="${LEFT}" x2="${WIDTH - 20}" y1="${y(tick)}" y2="${y(tick)}" stroke="${Math.abs(tick) < 1e-9 ? '#888' : '#ddd'}"/>`,
      text({ x: String(LEFT - 8), y: Number(y(tick)) + 4, anchor: 'end' }, tick.toFixed(1)),
    ]),
    ...[0, 0.25, 0.5, 0.75, 1].map((share) =>
      text({ x: x(share), y: HEIGHT - 28, anchor: 'middle' }, `${share * 100} %`),
    ),
    text({ x: x(0.5), y: HEIGHT - 8, anchor: 'middle' }, 'share of the budget that was seen'),
    ...lines.flatMap(({ name, colour, values }, i) => [
      `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${pathOf(values)}"/>`,
      `<text x="${x(0.52)}" y="${HEIGHT - 80 + 16 * i}" fill="${colour}">${name}</text>`,
    ]),
    '</svg>\n',
  ].join('\n'),
);
for (const { name, values } of lines)
  process.stderr.write(
    `${name}: ${SHARES.map((share, k) => `${Math.round(share * 100)} % ${values[k]?.toFixed(2)}`).join(', ')}\n`,
  );
