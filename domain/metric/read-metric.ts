import { LARGEST_VALUE } from '../json/number.ts';
import type { Metric } from '../schema/metric.ts';
import type { Failure, FailureLabel } from '../trial.ts';
import { linesOf } from './lines.ts';
import { matchLine } from './match-line.ts';
import { parseNumber, readPrinted, type Printed } from './printed-number.ts';

export type MetricReading = { ok: true; value: number } | ({ ok: false } & Failure);

const failed = (label: FailureLabel, message: string): MetricReading => ({ ok: false, label, message });

/**
 * Reads the metric from a run's output. The last line that names it counts, even if its value is no number: an earlier
 * number is never taken for it. Never throws for a task that the loader accepted.
 */
export function readMetric(text: string, metric: Metric): MetricReading {
  const { name, format, pattern } = metric;
  const lines = linesOf(text);
  const isJson = format === 'json';
  const found =
    isJson || pattern === undefined
      ? readPrinted(lines, { name, forms: [isJson ? 'json' : 'text'] })
      : readByPattern(lines, new RegExp(pattern));
  if (found === null) {
    const wanted = isJson ? `a JSON line with the key ${JSON.stringify(name)}` : `a line like ${exampleOf(metric)}`;
    return failed('no-metric', `expected ${wanted} in the output, got none in ${lines.length} lines`);
  }
  if ('value' in found) return checkBounds(found.value, metric);
  const got = found.raw.trim().slice(0, 80);
  return failed(
    'metric-unreadable',
    `expected ${name} as a plain number, got ${got === '' ? 'nothing' : JSON.stringify(got)}`,
  );
}

/** Checks that a value is finite and within the metric's bounds, the bounds included. */
export function checkBounds(value: number, { name, min, max }: Pick<Metric, 'name' | 'min' | 'max'>): MetricReading {
  if (!Number.isFinite(value)) return failed('metric-not-finite', `expected ${name} to be finite, got ${value}`);
  if (min !== undefined && value < min)
    return failed('metric-out-of-bounds', `expected ${name} to be at least ${min}, got ${value}`);
  if (max !== undefined && value > max)
    return failed('metric-out-of-bounds', `expected ${name} to be at most ${max}, got ${value}`);
  // Checked after the task's own bounds, whose messages say more.
  if (Math.abs(value) > LARGEST_VALUE)
    return failed('metric-not-finite', `expected ${name} to lie between ±${LARGEST_VALUE}, got ${value}`);
  return { ok: true, value };
}

const exampleOf = ({ name, pattern }: Metric): string => (pattern === undefined ? `"${name}: 0.123"` : `/${pattern}/`);

function readByPattern(lines: readonly string[], pattern: RegExp): Printed | null {
  for (const line of lines.toReversed()) {
    const groups = matchLine(pattern, line);
    if (groups === null) continue;
    const raw = groups['value'] ?? '';
    const value = parseNumber(raw);
    return value === undefined ? { raw } : { value };
  }
  return null;
}
