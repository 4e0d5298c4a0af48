import { z } from 'zod';
import { Value, Verdict } from './shared.ts';

/**
 * `root`: a candidate whose children to show; without it, the way from the baseline to the best, and beside it the ways to what
 * was kept. `depth`: levels below.
 */
export const TreeQuery = z.object({
  root: z.string().max(100).optional(),
  depth: z.coerce.number().int().min(1).max(6).default(2),
});

/**
 * A candidate in the lineage. `children`: candidates that were made from it. `hidden`: candidates below it that are not among the
 * nodes, nor below another node; subtrees without a keep are folded into that count.
 */
export const Node = z.object({
  candidateId: z.string(),
  parentId: z.string().nullable(),
  /** Of the first trial that ran it; null for the baseline before its first run. */
  n: z.int().nullable(),
  value: Value,
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
  /** From the baseline to the best, in order. */
  path: z.array(z.string()),
  nodes: z.array(Node),
  candidates: z.int(),
});
export type Tree = z.infer<typeof Tree>;
