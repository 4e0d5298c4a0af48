import type uPlot from 'uplot';
import { formatSeconds, significant } from '../../../../domain/text/format.ts';
import { colourOf } from './draw/ink.ts';

/** What x is: a number, whole things, seconds, or moments in seconds since 1970. */
export type XKind = 'number' | 'count' | 'seconds' | 'moment';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const SECONDS = [
  ...[1, 2, 5, 10, 15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE],
  ...[HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 5 * DAY, 10 * DAY, 30 * DAY, 100 * DAY],
];
const COUNTS = Array.from({ length: 10 }, (_, tens) => [1, 2, 5].map((n) => n * 10 ** tens)).flat();
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

interface Asked {
  log: boolean;
  xKind: XKind;
  font: string;
  /** Text of a value at an axis, in place of the plain number. */
  xTick?: ((value: number) => string) | undefined;
  yTick?: ((value: number) => string) | undefined;
}

/** Lines that a logarithmic axis shows at most. */
const MOST = 8;

/** Ticks of a logarithmic axis: round numbers, 1, 2 and 5 of each power of ten, or steps where the stretch is narrow. */
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

/** The plot, positions of the ticks, the axis, their space and step. */
type Ticks = Parameters<uPlot.Axis.DynamicValues>;

/** The two axes, in the colours of the theme. */
export function axesOf({ xKind, font, log, xTick, yTick }: Asked): uPlot.Axis[] {
  const look = {
    font,
    stroke: () => colourOf('--ink-2'),
    grid: { stroke: () => colourOf('--line'), width: 1 },
    ticks: { show: false },
  } satisfies uPlot.Axis;
  return [
    {
      ...look,
      grid: { show: false },
      size: 26,
      gap: 6,
      space: 70,
      ...(xKind === 'number' ? {} : { incrs: xKind === 'count' ? COUNTS : SECONDS }),
      values: (...[, splits, , , step]: Ticks) => splits.map((at) => (xTick ? xTick(at) : xText(at, { xKind, step }))),
    },
    {
      ...look,
      gap: 8,
      ...(log ? LOG : {}),
      space: 40,
      size: (_, values) => 16 + 7 * Math.max(3, ...(values ?? []).map((text) => text?.length ?? 0)),
      values: (...[, splits, , , step]: Ticks) =>
        // Of a logarithmic axis, those between the tens are null.
        splits.map((at: number | null) => (at === null ? '' : yTick ? yTick(at) : numberText(at, step))),
    },
  ];
}

function xText(at: number, { xKind, step }: { xKind: XKind; step: number }): string {
  if (xKind === 'seconds') return at === 0 ? '0' : formatSeconds(at).replace(/\.0 s$/, ' s');
  if (xKind === 'moment') return momentTick(new Date(at * 1000), step);
  return numberText(at, step);
}

/** A moment at an axis: the time, or the day at midnight. */
function momentTick(at: Date, step: number): string {
  const midnight = at.getHours() === 0 && at.getMinutes() === 0 && at.getSeconds() === 0;
  if (step >= DAY || midnight) return `${at.getDate()} ${MONTHS[at.getMonth()] ?? ''}`;
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
  return step < MINUTE ? `${time}:${two(at.getSeconds())}` : time;
}
const two = (n: number): string => String(n).padStart(2, '0');

/** A number at an axis, with as many decimals as its steps have; large ones with a letter. */
export function numberText(value: number, step: number): string {
  if (!Number.isFinite(value)) return '';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return value.toExponential(1);
  if (size >= 1e6) return `${significant(value / 1e6, 4)}M`;
  if (size >= 10_000) return `${significant(value / 1000, 4)}k`;
  return value.toFixed(step > 0 ? decimalsOf(step) : 2);
}

/** As many decimals as tell apart values that are so far from each other: two for 0.25. */
function decimalsOf(step: number): number {
  const first = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const shown = step * 10 ** first;
  return Math.min(8, Math.abs(shown - Math.round(shown)) < 1e-6 ? first : first + 1);
}
