import { z } from 'zod';
import { TRIAL_KINDS } from '../trial.ts';

/** What ends a research, or makes it wait for a raise. Pauses do not count as hours. */
export const Budget = z.strictObject({
  trials: z.number().int().positive().optional(),
  hours: z.number().positive().optional(),
  tokens: z.number().int().positive().optional(),
  usd: z.number().positive().optional(),
  counts: z.array(z.enum(TRIAL_KINDS)).default(['search', 'injected']).describe('kinds that count as trials'),
  whenSpent: z.enum(['stop', 'wait']).default('stop'),
});

export type Budget = z.infer<typeof Budget>;
