import type { z } from 'zod';
import type { Method } from '../method/axis.ts';

/** Mean value and mean seconds on a slot of a candidate's scored runs. */
export interface Means {
  value: number;
  seconds: number | null;
}

/** Proposals that were scored before under the same metric: how many of them, how many worse, how many equal. */
export interface Ranks {
  scored: number;
  worse: number;
  equal: number;
}

/** A scored outcome, values in the units of the metric; what a rule does not read is null. */
export interface ScoredOutcome {
  /** 1 where greater is better, −1 where smaller is. */
  sign: 1 | -1;
  value: number;
  /** On the slot. */
  seconds: number | null;
  /** Mean of the baseline's runs; null where none of them has a score. */
  baseline: number | null;
  /** The candidate that it was edited from; null, too, where that one has no score under this metric. */
  parent: Means | null;
  ranks: Ranks | null;
  /** From the nearest candidate of the history: 0 for the same change, 1 for one with no line in common. */
  distance: number | null;
}

/** What a rule reads beside the outcome; one that reads the baseline or the parent waits for the baseline to be measured. */
export type RewardReading = 'baseline' | 'parent' | 'ranks' | 'distance';

/** A reward with the numbers that it is made of, and what it is for in words; `reward` is null where there is none. */
export interface Rewarded {
  reward: number | null;
  parts: Record<string, number>;
  reason: string;
}

/** Rewards of outcomes without a value, and what is left of one that is earned again. */
export interface EndingRewards {
  /** Of a run that crashed, took too long or diverged. */
  failed: number;
  /** Of a proposal that nothing ran for. */
  rejected: number;
  /** Of a run that was stopped early, since it could not win. */
  aborted: number;
  /** Factor on the reward of a candidate that was known already, 1: it earns the same again. Of a penalty nothing is forgiven. */
  known: number;
}

/** A reward by its settings. */
export interface Reward {
  endings: EndingRewards;
  reads: readonly RewardReading[];
  /** The reward of a scored outcome. */
  of: (this: void, scored: ScoredOutcome) => Rewarded;
}

/** Makes a number of each outcome of a proposal, for a proposer to learn from. */
export interface RewardRule<Settings = never> extends Method {
  /** Null: nothing is rewarded. */
  by: (this: void, settings: Settings) => Reward | null;
}

/** Infers the type of a rule's settings from their schema. */
export const defineReward = <S extends z.ZodObject>(
  rule: RewardRule<z.output<S>> & { settings: S },
): RewardRule<z.output<S>> & { settings: S } => rule;

/** Files of a candidate: path to text. */
type Files = Readonly<Record<string, string>>;

/** The lines that a candidate has and the original has not, and the other way round, each with its sign and path. */
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
 * The least Jaccard distance from one change to others, the empty change among them: 0 where one of them is the same, 1 where
 * none has a line in common with it.
 */
export function nearestDistance(change: ReadonlySet<string>, others: readonly ReadonlySet<string>[]): number {
  return Math.min(...[new Set<string>(), ...others].map((other) => jaccardDistance(change, other)));
}

function jaccardDistance(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((line) => b.has(line)).length;
  const all = a.size + b.size - common;
  return all === 0 ? 0 : 1 - common / all;
}
