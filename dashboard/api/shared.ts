import { z } from 'zod';
import { SHOWN_VERDICTS, TRIAL_KINDS, TRIAL_STATUSES } from '../../domain/trial.ts';

/** A time, ISO 8601. */
export const At = z.iso.datetime();

/** A finite number; null if there is no value, or it is not finite. */
export const Value = z.number().nullable();

/** A task's metric. `optimum`: the best possible value; null if the task does not declare it. */
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

/** Level of an event or item. A `warning` may need a person to act. */
export const Level = z.enum(['detail', 'info', 'notice', 'warning']);

/** A condition that a person's act changes, with the commands to copy. `researches` is empty if it concerns a host. */
export const Attention = z.object({
  /** Stable name of the condition, which `perpetua attention --dismiss` takes. */
  key: z.string(),
  /** Nature of the cause. An entry that was put away comes back if this changes. */
  fingerprint: z.string(),
  researches: z.array(z.string()),
  level: z.enum(['notice', 'warning']),
  title: z.string(),
  why: z.string().nullable(),
  at: At.nullable(),
  commands: z.array(z.string()),
});
export type Attention = z.infer<typeof Attention>;

/** A condition that a person chose, or that ends by itself: it asks for nothing. */
export const CalmState = Attention.pick({ researches: true, title: true, why: true, at: true, commands: true });
export type CalmState = z.infer<typeof CalmState>;

/** A mean of `n` runs with its 95 % interval, `low` to `high`; `sd` is that of one run. */
export const Measured = z.object({ value: z.number(), sd: Value, n: z.int(), low: Value, high: Value });
export type Measured = z.infer<typeof Measured>;
