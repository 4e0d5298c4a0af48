import { LARGEST_VALUE } from '../json/number.ts';
import type { Metric } from '../schema/metric.ts';
import type { Failure, FailureLabel } from '../trial.ts';
import { parseJsonLine } from './json-line.ts';
import { linesOf } from './lines.ts';
import { parseNumber } from './parse-number.ts';

export type MetricReading = { ok: true; value: number } | ({ ok: false } & Failure);
type Found = { raw: string; value: number | undefined };

const failed = (label: FailureLabel, message: string): MetricReading => ({ ok: false, label, message });

/**
 * Reads the metric from a run's output. The last line that has it counts. Never throws for a task that the loader
 * accepted.
 */
export function readMetric(text: string, metric: Metric): MetricReading {
  const find = metric.format === 'json' ? inJson(metric.name) : byPattern(patternOf(metric));
  const lines = linesOf(text);
  for (let i = lines.length - 1; i >= 0; i -= 1) {
    const found = find(lines[i] ?? '');
    if (found === null) continue;
    if (found.value !== undefined) return checkBounds(found.value, metric);
    const got = found.raw.trim().slice(0, 80);
    return failed(
      'metric-unreadable',
      `expected ${metric.name} as a plain number, got ${got === '' ? 'nothing' : JSON.stringify(got)}`,
    );
  }
  const wanted =
    metric.format === 'json'
      ? `a JSON line with the key ${JSON.stringify(metric.name)}`
      : `a line like ${exampleOf(metric)}`;
  return failed('no-metric', `expected ${wanted} in the output, got none in ${lines.length} lines`);
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

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const patternOf = ({ name, pattern }: Metric): RegExp =>
  new RegExp(pattern ?? `^\\s*${escaped(name)}\\s*[:=](?<value>.*)$`);
const exampleOf = ({ name, pattern }: Metric): string => (pattern === undefined ? `"${name}: 0.123"` : `/${pattern}/`);

function byPattern(pattern: RegExp): (line: string) => Found | null {
  return (line) => {
    const match = pattern.exec(line);
    if (!match) return null;
    const raw = match.groups?.['value'] ?? '';
    return { raw, value: parseNumber(raw) };
  };
}

// Lists and objects are not written as JSON: thousands of nested levels would overflow the stack.
function shortText(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : JSON.stringify(value);
}

function inJson(name: string): (line: string) => Found | null {
  return (line) => {
    const object = parseJsonLine(line);
    if (!object || !Object.hasOwn(object, name)) return null;
    const value = object[name];
    if (typeof value === 'number') return { raw: String(value), value };
    const read = typeof value === 'string' ? parseNumber(value) : undefined;
    // A finite number in quotes is a mistake to report. NaN and infinity may be text: JSON has no numbers for them.
    return {
      raw: typeof value === 'string' ? JSON.stringify(value) : shortText(value),
      value: read !== undefined && !Number.isFinite(read) ? read : undefined,
    };
  };
}
