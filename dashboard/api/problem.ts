import { z } from 'zod';

/** Why there is no answer: the body of every response of 400 and above below `api/v1/`. */
export const Problem = z.object({
  /** For a person, in words. */
  error: z.string(),
  /**
   * `refused`: the input does not fit. `not-found`: there is no such thing. `foreign-cursor`: begin again without a cursor.
   * `away`: Postgres does not answer. `not-ready`: its tables are not there yet. `timeout`: a statement took too long.
   * `unreadable`: its row is damaged, or of another version.
   */
  code: z.enum(['refused', 'not-found', 'foreign-cursor', 'away', 'not-ready', 'timeout', 'failed', 'unreadable']),
  /** Of `refused`: what is wrong with which key. */
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type Problem = z.infer<typeof Problem>;
