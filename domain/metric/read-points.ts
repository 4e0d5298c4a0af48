import type { Progress } from '../task/task.ts';
import { parseJsonLine } from './json-line.ts';
import { parseNumber } from './parse-number.ts';
import { LINE_CHARACTERS } from './read-metric.ts';

/** One point of a learning curve; `value` may be NaN or infinite, `step` is finite. */
export interface Point {
  step: number;
  value: number;
}

/** Reads a run's lines into points, one line at a time; a line without a point gives null. */
export interface PointReader {
  push(line: string): Point | null;
}

/** A reader for a task's progress lines; throws SyntaxError for a pattern that does not compile (the loader refuses it). */
export function createPointReader(progress: Progress): PointReader {
  const read = progress.format === 'json' ? fromJson(progress) : fromPattern(new RegExp(progress.pattern ?? '$^'));
  return {
    push: (line) => {
      const { step, value } = read(line.slice(0, LINE_CHARACTERS));
      return step === undefined || value === undefined || !Number.isFinite(step) ? null : { step, value };
    },
  };
}

type Read = (line: string) => { step?: number | undefined; value?: number | undefined };

function fromPattern(pattern: RegExp): Read {
  return (line) => {
    const groups = pattern.exec(line)?.groups;
    return groups ? { step: parseNumber(groups['step'] ?? ''), value: parseNumber(groups['value'] ?? '') } : {};
  };
}

function fromJson(progress: Progress): Read {
  return (line) => {
    const object = parseJsonLine(line);
    return object ? { step: numberIn(object, progress.step), value: numberIn(object, progress.value) } : {};
  };
}

function numberIn(object: Record<string, unknown>, key: string): number | undefined {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? parseNumber(value) : undefined;
}
