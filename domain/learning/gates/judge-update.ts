import { formatVerdictNumber } from '../../text/format.ts';
import { plural } from '../../text/plural.ts';
import type { Gate } from './gate.ts';

/** Numbers of one update, by name; one that is not there crosses nothing. */
export type Metrics = Readonly<Record<string, number>>;

export interface UpdateHistory {
  /** Metrics of every update since the first, or since a person let a halted one go on; newest last. */
  history: readonly Metrics[];
  /** Settings that a gate may multiply, as the newest update went by them. */
  values: Readonly<Record<string, number>>;
}

export interface Fired {
  gate: Gate;
  /** The newest value of its metric. */
  value: number;
  /** For people: "entropy 0.02 is below 0.05 for 3 updates: entropyCoefficient 0.01 → 0.02". */
  words: string;
}

export interface Judgement {
  /** `halt` wins over `adjust`; a gate that only tells changes nothing. */
  action: 'continue' | 'adjust' | 'halt';
  /** New values by key, in place of those before; empty where updates halt. */
  adjustments: Record<string, number>;
  fired: Fired[];
}

/**
 * The judgement of an update by its gates. A gate fires when its metric has crossed its border for its number of updates in a row: one
 * that tells once, one that adjusts again each time as many more have crossed it, one that halts at once and for good.
 */
export function judgeUpdate(gates: readonly Gate[], { history, values }: UpdateHistory): Judgement {
  const crossed = gates.flatMap((gate) => crossingOf(gate, history));
  const halts = crossed.some(({ gate }) => gate.then === 'halt');
  const adjustments: Record<string, number> = {};
  const fired = crossed.map(({ gate, value, run }) => {
    const change = gate.then === 'adjust' && halts ? '' : consequence(gate, values, adjustments);
    return { gate, value, words: `${crossingWords(gate, value, run)}${change}` };
  });
  const adjusts = Object.keys(adjustments).length > 0;
  return { action: halts ? 'halt' : adjusts ? 'adjust' : 'continue', adjustments, fired };
}

interface Crossing {
  gate: Gate;
  value: number;
  /** Updates in a row, the newest among them. */
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

/** Notes what a gate changes in `adjustments`, where no gate before it has changed the same, and says it. */
function consequence(
  { then, adjust }: Gate,
  values: Readonly<Record<string, number>>,
  adjustments: Record<string, number>,
): string {
  if (then === 'halt') return ': no more updates';
  if (then !== 'adjust' || adjust === undefined) return '';
  const { key } = adjust;
  const now = values[key];
  if (now === undefined) throw new Error(`expected a setting of the step in a gate, came ${key}`);
  if (Object.hasOwn(adjustments, key)) return `: ${key} is changed already`;
  const next = multiplied(now, adjust);
  if (next === now) return `: ${key} stays ${formatVerdictNumber(now)}`;
  adjustments[key] = next;
  return `: ${key} ${formatVerdictNumber(now)} → ${formatVerdictNumber(next)}`;
}

/** A learning rate above 1 leaves nothing of what was learnt, and no trainer takes it. */
const LARGEST: Readonly<Record<string, number>> = { lr: 1 };

/** A bound keeps a value from growing past it, and never lowers one that was above it before. */
function multiplied(now: number, { key, by, most = Infinity }: NonNullable<Gate['adjust']>): number {
  const next = now * by;
  return next <= now ? next : Math.max(now, Math.min(next, most, LARGEST[key] ?? Infinity));
}
