import { z } from 'zod';
import { SHOWN_VERDICTS, TRIAL_KINDS, TRIAL_STATUSES } from '../../domain/trial.ts';

/** A moment, ISO 8601. */
export const At = z.iso.datetime();

/** Finite; null where there is none, or where what was measured is not finite. */
export const Value = z.number().nullable();

/** A task's metric. `optimum`: the best possible value, where the task knows it. */
export const Metric = z.object({
  name: z.string(),
  direction: z.enum(['minimize', 'maximize']),
  unit: z.string().nullable(),
  optimum: Value,
});
export type Metric = z.infer<typeof Metric>;

export const Kind = z.enum(TRIAL_KINDS);
export const Status = z.enum(TRIAL_STATUSES);
export const Verdict = z.enum(SHOWN_VERDICTS);

/** How loud something is for a person: `warning` may need somebody. */
export const Level = z.enum(['detail', 'info', 'notice', 'warning']);

/**
 * Something that may need a person: what it is in words, and the commands that a person may copy. No research: of a
 * host or the installation.
 */
export const Attention = z.object({
  researches: z.array(z.string()),
  level: Level,
  title: z.string(),
  why: z.string().nullable(),
  at: At.nullable(),
  commands: z.array(z.string()),
});
export type Attention = z.infer<typeof Attention>;

/** A mean with its spread and the interval of 95 % of the mean; `sd` is that of one run. */
export const Measured = z.object({ value: z.number(), sd: Value, n: z.int(), low: Value, high: Value });
export type Measured = z.infer<typeof Measured>;
