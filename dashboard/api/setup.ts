import { z } from 'zod';
import { At } from './shared.ts';

/** `GET setup`: the start of the stack as steps, in the order in which they began. */
export const Setup = z.object({
  startedAt: At.nullable(),
  /** Everything is up. */
  done: z.boolean(),
  steps: z.array(
    z.object({
      part: z.string(),
      text: z.string(),
      state: z.enum(['running', 'done', 'warning', 'failed']),
      at: At,
      /** How far it is, where that was told. */
      progress: z.string().optional(),
    }),
  ),
});
export type Setup = z.infer<typeof Setup>;
