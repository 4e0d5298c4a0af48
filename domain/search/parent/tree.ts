/**
 * A node of a research's tree: the original, or a candidate with a scored run. Values are larger for better candidates:
 * negated if the metric is minimised.
 */
export interface TreeNode {
  candidateId: string;
  /** Number by the order of first scores, from 1; 0: the original. */
  seq: number;
  depth: number;
  /** Mean of its scored runs; null for an original without one. */
  value: number | null;
  /** Number of its scored runs. */
  runs: number;
  /** Largest value of all nodes below it; null: none. */
  below: number | null;
  /** The larger one of `value` and `below`. */
  best: number | null;
  /** Proposals that began from it or from a node below it, those in flight included. */
  visits: number;
  /** Proposals from it without an outcome. */
  inFlight: number;
}

/** A part of the tree, an island or a cell, with the nodes that a rule reads. */
export interface NicheView {
  key: string;
  /** Number of its first node; null: it has none. */
  begun: number | null;
  /** Trials without an outcome whose parent was chosen for it. */
  inFlight: number;
  /** Its nodes with a value, the best first. */
  best: readonly TreeNode[];
}

/** The part of a tree that a rule reads: the beginnings of two orders of its nodes. Ties are in the order of `seq`. */
export interface TreeView {
  /** Number of all nodes with a value. */
  scored: number;
  /** Proposals from all nodes. */
  visits: number;
  /** Smallest value; 0 if there is none. */
  lowest: number;
  /** Nodes with a value, the best first. */
  byValue: readonly TreeNode[];
  /** Nodes by the best value of themselves and of all nodes below, the best first. */
  byBest: readonly TreeNode[];
  /** Active niches; empty unless the rule has niches. */
  niches: readonly NicheView[];
}

export const NO_TREE: TreeView = { scored: 0, visits: 0, lowest: 0, byValue: [], byBest: [], niches: [] };

/** True if the view has all nodes. */
export const isWhole = ({ scored, byValue }: TreeView): boolean => byValue.length >= scored;

/** A value of the tree in units of the metric. */
export const metricOf = (value: number, direction: 'minimize' | 'maximize'): number =>
  direction === 'minimize' ? 0 - value : value;
