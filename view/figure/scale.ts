/** A map from values to pixels, with ticks. */
export interface Scale {
  /** Position of a value in pixels. */
  of: (value: number) => number;
  ticks: readonly number[];
  low: number;
  high: number;
}

const STEPS = [1, 2, 2.5, 5, 10];

/** The smallest step of 1, 2, 2.5 or 5 times a power of ten that divides `span` into at most `most` parts. */
export function stepFor(span: number, most: number): number {
  if (!(span > 0) || !Number.isFinite(span)) return 1;
  const raw = span / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(raw));
  return (STEPS.find((step) => step * power >= raw * (1 - 1e-9)) ?? 10) * power;
}

/** Round numbers from `low` to `high`, both included if they are round. */
export function ticksOf(low: number, high: number, most: number): number[] {
  const step = stepFor(high - low, most);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => tidy((first + index) * step));
}

const tidy = (value: number): number => Number(value.toPrecision(12));

interface Range {
  low: number;
  high: number;
  /** Position of the low end in pixels. */
  from: number;
  /** Position of the high end in pixels. */
  to: number;
  /** Largest number of ticks. */
  most?: number;
}

/** A linear scale. An empty range is extended around its value. */
export function linear({ low, high, from, to, most = 5 }: Range): Scale {
  const room = high > low ? 0 : Math.abs(low) * 0.1 || 1;
  const [bottom, top] = [low - room, high + room];
  return {
    of: (value) => from + ((value - bottom) / (top - bottom)) * (to - from),
    ticks: ticksOf(bottom, top, most),
    low: bottom,
    high: top,
  };
}

/** Texts of ticks, all with the number of decimals that their step needs. */
export function tickTexts(ticks: readonly number[]): string[] {
  const step = ticks.length < 2 ? Math.abs(ticks[0] ?? 1) || 1 : Math.abs((ticks[1] ?? 0) - (ticks[0] ?? 0));
  const largest = Math.max(...ticks.map(Math.abs), 0);
  if (largest >= 1e6 || (largest > 0 && largest < 1e-4))
    return ticks.map((tick) => (tick === 0 ? '0' : String(Number(tick.toPrecision(4)))));
  const digits = Math.min(8, Math.max(0, -Math.floor(Math.log10(step) + 1e-9) + (isHalf(step) ? 1 : 0)));
  return ticks.map((tick) => tick.toFixed(digits));
}

/** True for steps of 2.5 times a power of ten, which need one more decimal. */
const isHalf = (step: number): boolean => Math.abs((step / 10 ** Math.floor(Math.log10(step) + 1e-9)) % 1) > 1e-6;
