import type uPlot from 'uplot';
import { formatSeconds, significant } from '../../../../domain/text/format.ts';
import { colourOf } from './draw/ink.ts';

/** Kind of the values of x. `seconds` is a duration, `moment` is seconds since 1970. */
export type XKind = 'number' | 'count' | 'seconds' | 'moment';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const multiples = (unit: number, counts: readonly number[]): number[] => counts.map((count) => count * unit);
/** Distances between ticks of a time axis, in seconds. */
const SECONDS = [
  ...multiples(1, [1, 2, 5, 10, 15, 30]),
  ...multiples(MINUTE, [1, 2, 5, 10, 15, 30]),
  ...multiples(HOUR, [1, 2, 3, 6, 12]),
  ...multiples(DAY, [1, 2, 5, 10, 30, 100]),
];
const COUNTS = Array.from({ length: 10 }, (_, tens) => [1, 2, 5].map((n) => n * 10 ** tens)).flat();
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

interface AxisOptions {
  log: boolean;
  xKind: XKind;
  font: string;
  /** Text of a tick, in place of the plain number. */
  xTick?: ((value: number) => string) | undefined;
  yTick?: ((value: number) => string) | undefined;
}

/** Limit of ticks of a logarithmic axis. */
const MOST = 8;

/** Ticks of a logarithmic axis: powers of ten; if the range has few of them, also 2 and 5; else even steps. */
export function logSplits(min: number, max: number): number[] {
  if (!(min > 0) || !(max > min)) return [];
  const tens = powers(min, max, [1]);
  if (tens.length >= 3) return thin(tens);
  const some = powers(min, max, [1, 2, 5]);
  return some.length >= 3 ? thin(some) : steps(min, max);
}

function powers(min: number, max: number, digits: readonly number[]): number[] {
  const found: number[] = [];
  for (let power = Math.floor(Math.log10(min)); 10 ** power <= max; power++)
    for (const digit of digits) found.push(Number(`${digit}e${power}`));
  return found.filter((tick) => tick >= min && tick <= max);
}

function steps(min: number, max: number): number[] {
  const rough = (max - min) / 4;
  const ten = 10 ** Math.floor(Math.log10(rough));
  const step = ten * ([1, 2, 5, 10].find((digit) => digit * ten >= rough) ?? 10);
  const first = Math.ceil(min / step);
  const count = Math.floor(max / step) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

const thin = (ticks: number[]): number[] => {
  const every = Math.ceil(ticks.length / MOST);
  return ticks.filter((_, index) => index % every === 0);
};

const LOG = {
  splits: ({ scales }: uPlot) => logSplits(scales['y']?.min ?? 0, scales['y']?.max ?? 0),
  filter: (_: uPlot, splits: number[]) => splits,
};

/** Arguments from uPlot: the plot, the ticks' values, the index of the axis, their space in pixels, their distance. */
type Ticks = Parameters<uPlot.Axis.DynamicValues>;

/** The x axis and the y axis, in the colours of the theme. */
export function axesOf({ xKind, font, log, xTick, yTick }: AxisOptions): uPlot.Axis[] {
  const style = {
    font,
    stroke: () => colourOf('--ink-2'),
    grid: { stroke: () => colourOf('--line'), width: 1 },
    ticks: { show: false },
  } satisfies uPlot.Axis;
  return [
    {
      ...style,
      grid: { show: false },
      size: 26,
      gap: 6,
      space: 70,
      ...(xKind === 'number' ? {} : { incrs: xKind === 'count' ? COUNTS : SECONDS }),
      values: (...[, splits, , , step]: Ticks) => splits.map((at) => (xTick ? xTick(at) : xText(at, { xKind, step }))),
    },
    {
      ...style,
      gap: 8,
      ...(log ? LOG : {}),
      space: 40,
      size: (_, values) => 16 + 7 * Math.max(3, ...(values ?? []).map((text) => text?.length ?? 0)),
      values: (...[, splits, , , step]: Ticks) =>
        splits.map((at: number | null) => {
          // On a logarithmic axis, uPlot passes null for ticks between the powers of ten.
          if (at === null) return '';
          return yTick ? yTick(at) : numberText(at, step);
        }),
    },
  ];
}

function xText(at: number, { xKind, step }: { xKind: XKind; step: number }): string {
  if (xKind === 'seconds') return at === 0 ? '0' : formatSeconds(at).replace(/\.0 s$/, ' s');
  if (xKind === 'moment') return momentTick(new Date(at * 1000), step);
  return numberText(at, step);
}

/** Text of a moment at a tick: the time of day, or the date at midnight. */
function momentTick(at: Date, step: number): string {
  const midnight = at.getHours() === 0 && at.getMinutes() === 0 && at.getSeconds() === 0;
  if (step >= DAY || midnight) return `${at.getDate()} ${MONTHS[at.getMonth()] ?? ''}`;
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
  return step < MINUTE ? `${time}:${two(at.getSeconds())}` : time;
}
const two = (n: number): string => String(n).padStart(2, '0');

/** Text of a number at a tick, with the decimals of the ticks' distance; large numbers end in `k` or `M`. */
export function numberText(value: number, step: number): string {
  if (!Number.isFinite(value)) return '';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return value.toExponential(1);
  if (size >= 1e6) return `${significant(value / 1e6, 4)}M`;
  if (size >= 10_000) return `${significant(value / 1000, 4)}k`;
  return value.toFixed(step > 0 ? decimalsOf(step) : 2);
}

/** Decimals that distinguish values at this distance, such as 2 for 0.25. */
function decimalsOf(step: number): number {
  const first = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const shown = step * 10 ** first;
  return Math.min(8, Math.abs(shown - Math.round(shown)) < 1e-6 ? first : first + 1);
}
