import { z } from 'zod';
import { Value, Verdict } from './shared.ts';

/**
 * `root`: the candidate whose children are returned. If it is absent, the answer has the paths from the baseline to
 * the best, the lead and the candidates that were kept. `depth`: levels below the root.
 */
export const TreeQuery = z.object({
  root: z.string().max(100).optional(),
  depth: z.coerce.number().int().min(1).max(6).default(2),
});

/**
 * A candidate in the lineage. `children`: number of candidates that were made from it. `hidden`: number of candidates
 * below it that are neither nodes nor below another node. Subtrees without a keep are folded into `hidden`.
 */
export const Node = z.object({
  candidateId: z.string(),
  parentId: z.string().nullable(),
  /** Number of the first trial that ran the candidate; null for the baseline before its first run. */
  n: z.int().nullable(),
  /** Mean of the runs with a value; of the best and the baseline, the estimate that every page shows. */
  value: Value,
  /** Number of runs behind the value. */
  scored: z.int(),
  runs: z.int(),
  verdict: Verdict,
  status: z.string().nullable(),
  hypothesis: z.string().nullable(),
  role: z.enum(['baseline', 'best', 'lead', 'none']),
  children: z.int(),
  hidden: z.int(),
});
export type Node = z.infer<typeof Node>;

/** `GET research/:id/tree`. */
export const Tree = z.object({
  /** Candidates from the baseline to the best, in order. */
  path: z.array(z.string()),
  nodes: z.array(Node),
  /** Number of all candidates of the research. */
  candidates: z.int(),
});
export type Tree = z.infer<typeof Tree>;
