import type { z } from 'zod';
import type { Random } from '../statistics/random.ts';
import type { Method } from '../method/axis.ts';
import type { Knob } from '../knob/knob.ts';
import type { Problem } from '../issue/problem.ts';
import type { Niches } from './parent/niche.ts';
import type { TreeView } from './parent/tree.ts';

/** State of the search, from which a rule chooses a parent. */
export interface SearchPoints {
  direction: 'minimize' | 'maximize';
  /** The unmodified candidate. */
  original: string;
  /** The candidate of the last claim. */
  incumbent: string;
  /** The candidate with the best shrunken estimate; the incumbent if scores do not vary. */
  lead: string;
}

/** State of the search, and the part of the tree that was read. */
export interface LineageView extends SearchPoints {
  /** Empty unless the rule reads `lineage`. */
  tree: TreeView;
}

export interface ParentChoice {
  candidateId: string;
  /** Reason for the choice; stored with the trial. */
  reason: string;
  /** Niche that the parent was chosen for; stored with the trial. */
  niche?: string;
  /** Niche that becomes inactive with this choice. */
  retires?: string;
}

/** The parts of a task that a rule's settings may name. */
export interface NamedByRule {
  knobs: readonly Knob[];
  secondary: readonly { name: string }[];
}

/** Input of a parent rule besides the view. */
export interface ParentInput<Settings> {
  settings: Settings;
  random: Random;
}

/** Chooses the parent of a proposal. A research makes one such choice at a time. */
export interface ParentRule<Settings = never> extends Method {
  /**
   * Data that the rule reads. `standing`: original, incumbent and lead. `lineage`: also the best nodes of the tree, so
   * that the research keeps one.
   */
  reads: 'standing' | 'lineage';
  /** Number of best nodes that the rule reads first; a number that most choices need. */
  reach?: (this: void, settings: Settings) => number;
  /** Division of the tree. A research has one at most: `check` refuses a second rule with other niches. */
  niches?: Niches<Settings>;
  /** Contradictions between the settings and the task, each with its path in the settings. */
  problems?: (this: void, settings: Settings, task: NamedByRule) => Problem[];
  /** True: the search follows the lead, so that the gate compares candidates with the lead and races the lead. */
  followsLead: boolean;
  /** True: every proposal starts from the original, so that a gain over the parent is one over the baseline. */
  isOriginal?: boolean;
  /**
   * Null: the choice depends on nodes that the view lacks, so more are read. A rule must choose from a view that has
   * all nodes.
   */
  choose: (this: void, view: LineageView, input: ParentInput<Settings>) => ParentChoice | null;
}

/** Infers the type of a rule's settings from their schema. */
export const defineParent = <S extends z.ZodObject>(
  rule: ParentRule<z.output<S>> & { settings: S },
): ParentRule<z.output<S>> & { settings: S } => rule;
