import { LARGEST_VALUE } from '../json/number.ts';
import type { Progress } from '../schema/metric.ts';
import { parseJsonLine } from './json-line.ts';
import { plainLine } from './lines.ts';
import { matchLine } from './match-line.ts';
import { parseNumber } from './printed-number.ts';

/** A point of a learning curve. `step` is finite; `value` may be NaN, and is infinite beyond ±1e150. */
export interface Point {
  step: number;
  value: number;
  /** Share of the budget that is spent, at least 0; absent if the run does not print it. */
  share?: number;
}

/** True if a point equals the one before it: a redrawn progress bar is not a further step. */
export const isRepeatedPoint = (last: Point | undefined, { step, value, share }: Point): boolean =>
  last?.step === step && last.value === value && last.share === share;

/** Reads points from a run's lines, one line at a time. `push` returns null for a line without a point. */
export interface PointReader {
  push(line: string): Point | null;
}

/**
 * Creates a reader for a task's progress lines. Throws SyntaxError for an invalid pattern, which the loader rejects.
 */
export function createPointReader(progress: Progress): PointReader {
  const read = progress.format === 'json' ? fromJson(progress) : fromPattern(new RegExp(progress.pattern ?? '$^'));
  return {
    push: (line) => {
      const { step, value: got, share } = read(plainLine(line));
      if (step === undefined || got === undefined || !Number.isFinite(step)) return null;
      const value = Math.abs(got) > LARGEST_VALUE ? Math.sign(got) * Infinity : got;
      return share !== undefined && share >= 0 && Number.isFinite(share) ? { step, value, share } : { step, value };
    },
  };
}

type Read = (line: string) => { step?: number | undefined; value?: number | undefined; share?: number | undefined };

function fromPattern(pattern: RegExp): Read {
  return (line) => {
    const groups = matchLine(pattern, line);
    const read = (name: string): number | undefined => parseNumber(groups?.[name] ?? '');
    return groups ? { step: read('step'), value: read('value'), share: read('share') } : {};
  };
}

function fromJson(progress: Progress): Read {
  return (line) => {
    const object = parseJsonLine(line);
    if (!object) return {};
    const read = (key: string): number | undefined => numberIn(object, key);
    return {
      step: read(progress.step),
      value: read(progress.value),
      share: progress.share === undefined ? undefined : read(progress.share),
    };
  };
}

function numberIn(object: Record<string, unknown>, key: string): number | undefined {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? parseNumber(value) : undefined;
}
