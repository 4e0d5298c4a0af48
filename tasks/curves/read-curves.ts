import { parseJsonLine } from '../../domain/metric/json-line.ts';
import { parseNumber } from '../../domain/metric/printed-number.ts';
import { plural } from '../../domain/text/plural.ts';
import type { Direction } from '../../domain/abort/types.ts';
import type { ReplayCurve } from '../../domain/abort/replay/types.ts';

/** Refusal of a file of curves; the message names the line that cannot be read. */
export class CurvesError extends Error {
  override readonly name = 'CurvesError';
}

/** Content of a file of curves. */
export interface Curves {
  curves: ReplayCurve[];
  /** Tracks of all lines, each once. */
  tracks: string[];
  /** Different directions that the read lines state; empty if no line states one. */
  directions: CurveDirections[];
  /** Lines that were read but cannot be replayed, with the reason; in the order of the file. */
  skipped: { line: number; reason: string }[];
}

/** Directions in which values of the metric, and of the monitored curve, improve. */
export interface CurveDirections {
  direction: Direction;
  curveDirection: Direction;
}

/** Number of points above which `train` is monitored instead of `val`. */
const DENSE = 20;
const FEWEST = 8;
/** Share of its steps before which a curve ends only if it was cut off, unless its line says that it is whole. */
const WHOLE = 0.95;

/**
 * Reads curves, one JSON object a line. Its keys:
 * - `track`, `group`, `run`: texts.
 * - `steps`: planned length of the run.
 * - `val`, `train`: lists of [step, value]. The last value of `val` is the final metric.
 * - `monitored`: `train` or `val`; default: `train` if it has more than 20 points, else `val`.
 * - `whole`: true if the run is complete, however few its points and wherever it ended; false if it was cut off.
 * - `direction`, `curveDirection`: minimize or maximize, for the metric and for the monitored curve.
 *
 * A value may be NaN or infinite (bare, or as text). Blank lines are skipped. Throws a CurvesError for a line of
 * another form. A curve of the right form that cannot be replayed is listed in `skipped`.
 */
export function readCurves(text: string, options: { track?: string } = {}): Curves {
  const curves: ReplayCurve[] = [];
  const skipped: Curves['skipped'] = [];
  const tracks = new Set<string>();
  const directions = new Map<string, CurveDirections>();
  text.split('\n').forEach((raw, index) => {
    if (raw.trim() === '') return;
    const line = index + 1;
    const read = readLine(raw, line);
    const { track, group, steps, val, stated } = read;
    tracks.add(track);
    if (options.track !== undefined && track !== options.track) return;
    if (stated !== null) directions.set(JSON.stringify(stated), stated);
    const pairs = monitoredOf(read);
    const final = val.at(-1)?.[1];
    const reason = skipReason(pairs, final, read);
    if (reason !== null || final === undefined) {
      skipped.push({ line, reason: reason ?? 'val is empty' });
      return;
    }
    const points = pairs.map(([step, value]) => ({ step, elapsed: step, value }));
    curves.push({ group: `${track}/${group}`, points, budget: { kind: 'steps', total: steps }, final });
  });
  return { curves, skipped, tracks: [...tracks], directions: [...directions.values()] };
}

/**
 * The monitored points. A line with `monitored` is of one run: points that step back are left out, as in a live run.
 */
function monitoredOf({ monitored, train, val }: Line): Pairs {
  if (monitored === null) return lastRun(train.length > DENSE ? train : val);
  let last = -Infinity;
  return (monitored === 'train' ? train : val).filter(([step]) => {
    if (step < last) return false;
    last = step;
    return true;
  });
}

/**
 * The points of the last attempt, after the last step that falls: the log of a restarted run holds earlier attempts
 * first.
 */
function lastRun(pairs: Pairs): Pairs {
  return pairs.slice(
    Math.max(
      0,
      pairs.findLastIndex(([step], i) => step < (pairs[i - 1]?.[0] ?? -Infinity)),
    ),
  );
}

/** Reason why the curve of a run that was stopped early is skipped. */
export const STOPPED = 'the run was stopped early, so its end is unknown';

/** Reason why a curve cannot be replayed; null if it can. */
function skipReason(pairs: Pairs, final: number | undefined, { steps, whole, stopped }: Line): string | null {
  if (final === undefined && stopped) return STOPPED;
  if (final === undefined) return 'val is empty, so there is no final value';
  if (!Number.isFinite(final)) return `the final value is ${final}`;
  if (whole === false) return 'it has "whole": false (the run did not end, or the time of a line is unknown)';
  const fewest = whole ? 1 : FEWEST;
  if (pairs.length < fewest) return `its curve has ${plural(pairs.length, 'point')}, ${fewest} are needed`;
  const end = pairs.at(-1)?.[0] ?? 0;
  return !whole && end < WHOLE * steps ? `its curve ends at step ${end} of ${steps}` : null;
}

type Pairs = (readonly [number, number])[];

interface Line {
  track: string;
  group: string;
  steps: number;
  val: Pairs;
  train: Pairs;
  monitored: 'train' | 'val' | null;
  /** Value of `whole`; null if the line has none. */
  whole: boolean | null;
  /** True for a run of an export that was stopped early. */
  stopped: boolean;
  /** Directions that the line states; null if it states none. */
  stated: CurveDirections | null;
}

function readLine(raw: string, line: number): Line {
  const fail = (what: string): never => {
    throw new CurvesError(`line ${line}: expected ${what}`);
  };
  const object = parseJsonLine(raw);
  if (object === null) return fail(`one JSON object, got ${shown(raw)}`);
  const textOf = (key: string): string => {
    const value = object[key];
    return typeof value === 'string' ? value : fail(`${key} to be a text, got ${shown(value)}`);
  };
  const { steps, whole = null, status } = object;
  if (typeof steps !== 'number' || !(steps > 0)) return fail(`steps to be a number above 0, got ${shown(steps)}`);
  textOf('run');
  const monitored = namedCurve(object['monitored'], (what) => fail(`monitored${what}`));
  if (whole !== null && typeof whole !== 'boolean') return fail(`whole to be true or false, got ${shown(whole)}`);
  const pairsOf = (key: string): Pairs => readPairs(object[key], (what) => fail(`${key}${what}`));
  const curves = { val: pairsOf('val'), train: pairsOf('train') };
  const stated = readDirections(object, fail);
  return {
    track: textOf('track'),
    group: textOf('group'),
    steps,
    ...curves,
    monitored,
    whole,
    stopped: status === 'aborted',
    stated,
  };
}

function readDirections(
  { direction, curveDirection = direction }: Record<string, unknown>,
  fail: (what: string) => never,
): CurveDirections | null {
  if (direction === undefined && curveDirection === undefined) return null;
  const read = (key: string, value: unknown): Direction =>
    value === 'minimize' || value === 'maximize'
      ? value
      : fail(`${key} to be minimize or maximize, got ${shown(value)}`);
  return { direction: read('direction', direction), curveDirection: read('curveDirection', curveDirection) };
}

function namedCurve(value: unknown, fail: (what: string) => never): Line['monitored'] {
  if (value === undefined) return null;
  return value === 'train' || value === 'val' ? value : fail(` to be train or val, got ${shown(value)}`);
}

function readPairs(value: unknown, fail: (what: string) => never): Pairs {
  if (!Array.isArray(value)) return fail(` to be a list, got ${shown(value)}`);
  return value.map((pair: unknown, i) => {
    const [step, given] = Array.isArray(pair) && pair.length === 2 ? (pair as unknown[]) : [undefined, undefined];
    const read = typeof given === 'string' ? parseNumber(given) : given;
    const known = typeof given === 'string' ? read !== undefined && !Number.isFinite(read) : typeof given === 'number';
    if (typeof step !== 'number' || !Number.isFinite(step) || !known || typeof read !== 'number')
      return fail(`[${i}] to be [step, value], got ${shown(pair)}`);
    return [step, read] as const;
  });
}

const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 60));
