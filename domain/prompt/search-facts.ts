import type { Feedback } from '../metric/feedback.ts';

/** A candidate of a research, on one line of a prompt. */
export interface KnownIdea {
  /** Trial that proposed it; null for the original. */
  n: number | null;
  /** Mean of its runs; null: none is scored. */
  value: number | null;
  runs: number;
  hypothesis: string;
}

/** Outcomes of trials against the files that each was made from, in the order of a prompt. */
export const IDEA_OUTCOMES = ['confirmed', 'better', 'equal', 'worse', 'unmeasured', 'stopped', 'failed'] as const;
export type IdeaOutcome = (typeof IDEA_OUTCOMES)[number];

/** Trials with one outcome, and the newest of their ideas. */
export interface IdeaGroup {
  outcome: IdeaOutcome;
  trials: number;
  /** Newest first. */
  ideas: readonly { n: number; hypothesis: string }[];
}

/** The parent's place in the search. */
export interface Lineage {
  /** The oldest ancestor first, the parent last. */
  path: readonly KnownIdea[];
  /** True if there are older ancestors than the first one of `path`. */
  isCut: boolean;
  /** Best candidates, best first. */
  leaders: readonly KnownIdea[];
  groups: readonly IdeaGroup[];
}

/** A good candidate that differs from the parent. */
export interface Inspiration extends KnownIdea {
  /** Island or cell of the parent rule; null: it has none. */
  niche: string | null;
  /** Changes from the parent's files to its files. */
  diff: string;
}

/** How the last trials from the same files compare with these files. */
export type ChildrenVerdict = 'worse' | 'equal' | 'failed' | 'no better';

/** Signs that the search goes in circles. */
export interface Stalls {
  /** Trials since the best one, `since` its number (null: no trial beats the original); null: too few. */
  withoutBest: { trials: number; since: number | null } | null;
  /** Verdict on the last trials from the parent, none of which is better; null: one is, or there are too few. */
  children: { trials: number; verdict: ChildrenVerdict } | null;
}

/** Cases of the evaluator for one trial, without those that it keeps from proposers. */
export interface ShownFeedback extends Feedback {
  n: number;
  /** True if the trial ran the files that the prompt shows. */
  isParent: boolean;
}

/** The model's memory of a research. */
export interface Memory {
  text: string;
  /** Trial that wrote it; null: it was copied from another research. */
  n: number | null;
}
