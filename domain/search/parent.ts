import type { z } from 'zod';
import type { Random } from '../statistics/random.ts';
import type { Method } from '../method/axis.ts';

/** A candidate in a research's tree. */
export interface LineageNode {
  candidateId: string;
  /** The candidate from which it was edited; null for the original. */
  parentId: string | null;
  /** Mean of its scored runs, in units of the metric; null without scored runs. */
  value: number | null;
  /** Number of its scored runs. */
  runs: number;
  /** Number of proposals made from it, those in flight included. */
  visits: number;
  /** Number of proposals from it without an outcome. */
  inFlight: number;
}

/** State of the search, from which a rule chooses a parent. */
export interface LineageView {
  direction: 'minimize' | 'maximize';
  /** The unmodified candidate. */
  original: string;
  /** The candidate of the last claim. */
  incumbent: string;
  /** The candidate with the best shrunken estimate; the incumbent if scores do not vary. */
  lead: string;
  /** Every candidate with a run or a child, oldest first; empty unless the rule reads `lineage`. */
  nodes: readonly LineageNode[];
}

export interface ParentChoice {
  candidateId: string;
  /** Reason for the choice; stored with the trial. */
  reason: string;
}

/** Input of a parent rule besides the view. */
export interface ParentInput<Settings> {
  settings: Settings;
  random: Random;
}

/** Chooses the parent of a proposal. A research makes one such choice at a time. */
export interface ParentRule<Settings = never> extends Method {
  /**
   * Data that the rule reads. `standing`: original, incumbent and lead. `lineage`: also the tree, for each proposal.
   */
  reads: 'standing' | 'lineage';
  /** True: the search follows the lead, so that the gate compares candidates with the lead and races the lead. */
  followsLead: boolean;
  /** True: every proposal starts from the original, so that a gain over the parent is one over the baseline. */
  isOriginal?: boolean;
  choose: (this: void, view: LineageView, input: ParentInput<Settings>) => ParentChoice;
}

/** Infers the type of a rule's settings from their schema. */
export const defineParent = <S extends z.ZodObject>(
  rule: ParentRule<z.output<S>> & { settings: S },
): ParentRule<z.output<S>> & { settings: S } => rule;
