import { formatVerdictNumber } from '../../text/format.ts';
import { plural } from '../../text/plural.ts';
import type { Gate } from './gate.ts';

/** Metrics of one update, by name. A missing metric crosses no limit. */
export type Metrics = Readonly<Record<string, number>>;

export interface UpdateHistory {
  /** Metrics of every update since the first, or since a person resumed halted learning; newest last. */
  history: readonly Metrics[];
  /** Settings that a gate may multiply, with the values that the newest update used. */
  values: Readonly<Record<string, number>>;
}

export interface Fired {
  gate: Gate;
  /** The newest value of its metric. */
  value: number;
  /** Sentence for people: "entropy 0.02 is below 0.05 for 3 updates: entropyCoefficient 0.01 → 0.02". */
  words: string;
}

export interface Judgement {
  /** `halt` wins over `adjust`. A gate with `then: 'tell'` changes nothing. */
  action: 'continue' | 'adjust' | 'halt';
  /** New values of settings, by key; empty if updates halt. */
  adjustments: Record<string, number>;
  fired: Fired[];
}

/**
 * Judges an update by its gates. A gate fires once its metric has crossed the limit in `updates` consecutive updates.
 * `tell` fires once in such a run, `adjust` again after each further `updates` of them, and `halt` in every update from
 * then on.
 */
export function judgeUpdate(gates: readonly Gate[], { history, values }: UpdateHistory): Judgement {
  const crossed = gates.flatMap((gate) => crossingOf(gate, history));
  const halts = crossed.some(({ gate }) => gate.then === 'halt');
  const adjustments: Record<string, number> = {};
  const fired = crossed.map(({ gate, value, run }) => {
    const change = gate.then === 'adjust' && halts ? '' : consequence(gate, values, adjustments);
    return { gate, value, words: `${crossingWords(gate, value, run)}${change}` };
  });
  if (halts) return { action: 'halt', adjustments, fired };
  return { action: Object.keys(adjustments).length > 0 ? 'adjust' : 'continue', adjustments, fired };
}

interface Crossing {
  gate: Gate;
  value: number;
  /** Consecutive updates that crossed the limit, up to the newest. */
  run: number;
}

function crossingOf(gate: Gate, history: readonly Metrics[]): Crossing[] {
  const last = history.findLastIndex((metrics) => !isCrossed(gate, metrics[gate.metric]));
  const run = history.length - 1 - last;
  const value = history.at(-1)?.[gate.metric];
  return value !== undefined && fires(gate, run) ? [{ gate, value, run }] : [];
}

const isCrossed = ({ below = -Infinity, above = Infinity }: Gate, value: number | undefined): boolean =>
  value !== undefined && (value < below || value > above);

function fires({ then, updates = 1 }: Gate, run: number): boolean {
  if (run < updates) return false;
  if (then === 'halt') return true;
  return then === 'tell' ? run === updates : run % updates === 0;
}

function crossingWords({ metric, below, above }: Gate, value: number, run: number): string {
  const border =
    below !== undefined && value < below
      ? `below ${formatVerdictNumber(below)}`
      : `above ${formatVerdictNumber(above ?? NaN)}`;
  return `${metric} ${formatVerdictNumber(value)} is ${border}${run > 1 ? ` for ${plural(run, 'update')}` : ''}`;
}

/**
 * Adds a gate's change to `adjustments`, unless an earlier gate has changed the same setting. Returns its description.
 */
function consequence(
  { then, adjust }: Gate,
  values: Readonly<Record<string, number>>,
  adjustments: Record<string, number>,
): string {
  if (then === 'halt') return ': learning halts';
  if (then !== 'adjust' || adjust === undefined) return '';
  const { key } = adjust;
  const now = values[key];
  if (now === undefined) throw new Error(`expected a setting of the step in a gate, got ${key}`);
  if (Object.hasOwn(adjustments, key)) return `: another gate already changed ${key}`;
  const next = multiplied(now, adjust);
  if (next === now) return `: ${key} stays ${formatVerdictNumber(now)}`;
  adjustments[key] = next;
  return `: ${key} ${formatVerdictNumber(now)} → ${formatVerdictNumber(next)}`;
}

/**
 * Largest values of settings. A learning rate above 1 destroys what the policy has learnt, and no trainer accepts it.
 */
const LARGEST: Readonly<Record<string, number>> = { lr: 1 };

/** The value times its factor. The bounds stop an increase, but never lower a value that was above them before. */
function multiplied(now: number, { key, by, most = Infinity }: NonNullable<Gate['adjust']>): number {
  const next = now * by;
  return next <= now ? next : Math.max(now, Math.min(next, most, LARGEST[key] ?? Infinity));
}
