import type { z } from 'zod';
import type { Method } from '../method/axis.ts';

/** Mean value and mean seconds on a slot of a candidate's scored runs. */
export interface Means {
  value: number;
  seconds: number | null;
}

/** Numbers of earlier proposals scored under the same metric: all of them, the worse ones, and the equal ones. */
export interface Ranks {
  scored: number;
  worse: number;
  equal: number;
}

/** A scored outcome, with values in units of the metric. A field that the rule does not read is null. */
export interface ScoredOutcome {
  /** 1 if greater is better, −1 if smaller is better. */
  sign: 1 | -1;
  value: number;
  /** Seconds on the slot. */
  seconds: number | null;
  /** Mean of the baseline's runs; null if none has a score. */
  baseline: number | null;
  /** Means of its parent; also null if the parent has no score under this metric. */
  parent: Means | null;
  ranks: Ranks | null;
  /** Distance from the nearest earlier candidate: 0 for the same change, 1 without a common line. */
  distance: number | null;
}

/** Data that a rule reads besides the outcome. A rule that reads `baseline` or `parent` waits for the baseline. */
export type RewardReading = 'baseline' | 'parent' | 'ranks' | 'distance';

/** A reward with its terms and its reason in words; `reward` is null if there is none. */
export interface Rewarded {
  reward: number | null;
  parts: Record<string, number>;
  reason: string;
}

/** Rewards of outcomes without a value, and the factor for known candidates. */
export interface EndingRewards {
  /** Reward of a run that crashed, timed out or diverged. */
  failed: number;
  /** Reward of a proposal that ran nothing. */
  rejected: number;
  /** Reward of a run that was stopped early, since it could not win. */
  aborted: number;
  /** Factor on the positive reward of a known candidate; 1: the full reward again. A penalty stays whole. */
  known: number;
}

/** The gain from which a reward is computed: the value with which a run is compared, and the unit. */
export interface Gain {
  over: 'baseline' | 'parent';
  scale: 'relative' | 'absolute';
}

/** A reward rule with its settings applied. */
export interface Reward {
  endings: EndingRewards;
  /** Null if the reward is not computed from a gain. */
  gain: Gain | null;
  reads: readonly RewardReading[];
  /** The reward of a scored outcome. */
  of: (this: void, scored: ScoredOutcome) => Rewarded;
}

/** Turns the outcome of each proposal into a number, from which a proposer learns. */
export interface RewardRule<Settings = never> extends Method {
  /** Applies the settings; null: no outcome has a reward. */
  by: (this: void, settings: Settings) => Reward | null;
}

/** Infers the type of a rule's settings from their schema. */
export const defineReward = <S extends z.ZodObject>(
  rule: RewardRule<z.output<S>> & { settings: S },
): RewardRule<z.output<S>> & { settings: S } => rule;

/** Files of a candidate: path to text. */
type Files = Readonly<Record<string, string>>;

/** Lines in only one of original and candidate, each with its sign (`+`: only in the candidate) and path. */
export function changedLines(original: Files, candidate: Files): Set<string> {
  const changed = new Set<string>();
  for (const path of new Set([...Object.keys(original), ...Object.keys(candidate)])) {
    if (original[path] === candidate[path]) continue;
    const [before, after] = [original, candidate].map((files) => new Set(files[path]?.split('\n') ?? []));
    for (const line of after ?? []) if (before?.has(line) === false) changed.add(`+${path}\n${line}`);
    for (const line of before ?? []) if (after?.has(line) === false) changed.add(`-${path}\n${line}`);
  }
  return changed;
}

/**
 * Smallest Jaccard distance from a change to the others and the empty change: 0 if one is equal, 1 if none has a common
 * line.
 */
export function nearestDistance(change: ReadonlySet<string>, others: readonly ReadonlySet<string>[]): number {
  return Math.min(...[new Set<string>(), ...others].map((other) => jaccardDistance(change, other)));
}

function jaccardDistance(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((line) => b.has(line)).length;
  const all = a.size + b.size - common;
  return all === 0 ? 0 : 1 - common / all;
}
