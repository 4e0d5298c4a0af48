import { z } from 'zod';

/** The reason for a missing answer: the body of every response below `api/v1/` with status 400 or above. */
export const Problem = z.object({
  /** The reason, in words for a person. */
  error: z.string(),
  /**
   * `refused`: the input is invalid. `not-found`: the resource does not exist. `foreign-cursor`: the cursor belongs to
   * another database; start again without one. `away`: Postgres does not answer. `not-ready`: its tables do not exist
   * yet. `timeout`: a statement took too long. `unreadable`: the row is damaged, or another version wrote it.
   * `forbidden`: not the page itself, or without its token. `conflict`: the research refused the message, with the
   * reason. `too-large`: the body is too long. `unreachable`: Temporal or the research does not answer. `failed`: any
   * other error.
   */
  code: z.enum([
    'refused',
    'not-found',
    'foreign-cursor',
    'away',
    'not-ready',
    'timeout',
    'failed',
    'unreadable',
    'forbidden',
    'conflict',
    'too-large',
    'unreachable',
  ]),
  /** For `refused`: each key's path and its problem. */
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type Problem = z.infer<typeof Problem>;
