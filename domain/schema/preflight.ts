import { z } from 'zod';
import { argument, FIELD_MAXIMA } from './fields.ts';

const MOST_BYTES = FIELD_MAXIMA.megabytes * 1024 * 1024;

/** Checks of a candidate before it takes a slot. A candidate that fails one ends as `rejected`. */
export const Preflight = z.strictObject({
  syntax: z
    .boolean()
    .default(true)
    .describe("check the syntax of mutable `.py` files with the task's `python3`, and of `.js` files with `node`"),
  commands: z
    .array(argument.min(1))
    .max(20)
    .default([])
    .describe(
      "commands beside the candidate's files, each passed to `sh -c` in the sandbox of the worker's machine, " +
        'with 10 seconds and 256 MB; an exit code other than 0 rejects the candidate',
    ),
  maxBytes: z
    .number()
    .int()
    .positive()
    .max(MOST_BYTES)
    .optional()
    .meta({ description: 'largest size of the mutable files together', otherwise: 'no limit' }),
  forbidden: z
    .array(z.string().min(1).max(200))
    .max(100)
    .default([])
    .describe('names that no mutable file may contain as whole words, comments included, such as `eval`'),
});

export type Preflight = z.infer<typeof Preflight>;
