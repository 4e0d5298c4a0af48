import { z } from 'zod';
import { At } from './shared.ts';

/** `GET setup`: the steps of starting the stack, in the order in which they began. */
export const Setup = z.object({
  startedAt: At.nullable(),
  /** True once the whole stack is up. */
  done: z.boolean(),
  steps: z.array(
    z.object({
      part: z.string(),
      text: z.string(),
      state: z.enum(['running', 'done', 'warning', 'failed']),
      at: At,
      /** Progress in words; absent if the step reported none. */
      progress: z.string().optional(),
    }),
  ),
});
export type Setup = z.infer<typeof Setup>;
