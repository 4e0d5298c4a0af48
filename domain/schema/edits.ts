import { z } from 'zod';

const globs = z.array(z.string().min(1).max(200)).max(50).default([]);

/** Rules for what a proposal may do to the workspace, besides changing mutable files. */
export const EditRules = z.strictObject({
  regions: z
    .boolean()
    .default(false)
    .describe(
      'a mutable file with `EVOLVE-BLOCK-START` and `EVOLVE-BLOCK-END` in comments may be changed only between them',
    ),
  create: globs.describe('globs (`*`, `**`, `?`) of new files that a proposal may add'),
  remove: globs.describe('globs (`*`, `**`, `?`) of mutable files that a proposal may delete'),
  mostNewFiles: z
    .number()
    .int()
    .min(1)
    .max(500)
    .default(20)
    .describe('new files of one candidate, at most; together with the other mutable files at most 1 MiB'),
});

export type EditRules = z.infer<typeof EditRules>;
