import type { z } from 'zod';
import type { Random } from '../statistics/random.ts';
import type { Method } from '../method/axis.ts';

/** One candidate of a research's tree. */
export interface LineageNode {
  candidateId: string;
  /** The candidate that it was edited from; null for the original. */
  parentId: string | null;
  /** Mean of its scored runs, in the units of the metric; null while it has none. */
  value: number | null;
  /** Its scored runs. */
  runs: number;
  /** Proposals that were made from it, those in flight included. */
  visits: number;
  /** Proposals from it that have no outcome yet. */
  inFlight: number;
}

/** Where the search stands: what a parent is chosen from. */
export interface LineageView {
  direction: 'minimize' | 'maximize';
  /** The unmodified candidate. */
  original: string;
  /** The claim. */
  incumbent: string;
  /** The candidate with the best shrunken estimate; the incumbent where nothing varies. */
  lead: string;
  /** Every candidate with a run or a child, oldest first; empty unless the rule reads it. */
  nodes: readonly LineageNode[];
}

export interface ParentChoice {
  candidateId: string;
  /** Why this one, in words; stored with the trial. */
  reason: string;
}

/** Input of a parent rule beside the view. */
export interface ParentInput<Settings> {
  settings: Settings;
  random: Random;
}

/** Chooses the candidate that a proposal is made from, one proposal of a research at a time. */
export interface ParentRule<Settings = never> extends Method {
  /** `standing`: original, incumbent and lead suffice; `lineage`: the tree is read for each proposal. */
  reads: 'standing' | 'lineage';
  /** Whether the search follows the lead, so that the gate compares with it and races it as a whole. */
  followsLead: boolean;
  choose: (this: void, view: LineageView, input: ParentInput<Settings>) => ParentChoice;
}

/** Infers the type of a rule's settings from their schema. */
export const defineParent = <S extends z.ZodObject>(
  rule: ParentRule<z.output<S>> & { settings: S },
): ParentRule<z.output<S>> & { settings: S } => rule;
