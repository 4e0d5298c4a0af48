import { z } from 'zod';
import { Value } from '../shared.ts';

/** `GET pulse`: ages of the newest beat of a worker, and of the oldest workflow task that waits for a worker. */
export const Pulse = z.object({
  /** Null if no worker reported within a day. */
  beatSeconds: Value,
  temporal: z.object({
    /** `unknown`: the dashboard has no access to Temporal, or has not asked yet. */
    state: z.enum(['answers', 'silent', 'unknown']),
    /** 0 if no task waits; null if unknown. */
    oldestTaskSeconds: Value,
  }),
  /** True if a research has not ended, so that it needs a worker. */
  needed: z.boolean(),
});
export type Pulse = z.infer<typeof Pulse>;
