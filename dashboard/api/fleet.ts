import { z } from 'zod';
import { At, Value } from './shared.ts';

export const Slot = z.object({
  id: z.string(),
  pool: z.string(),
  host: z.string(),
  gpu: z.string().nullable(),
  state: z.enum(['free', 'offered', 'leased', 'retired']),
  trialId: z.string().nullable(),
  since: At.nullable(),
  /** Busy share of the last hour and of the last 24 hours, 0 to 1. A younger slot counts from its creation. */
  busyHour: Value,
  busyDay: Value,
});
export type Slot = z.infer<typeof Slot>;

export const Host = z.object({
  name: z.string(),
  pool: z.string(),
  state: z.enum(['serving', 'draining', 'removed', 'local']),
  /** GPUs, cores and memory, in words. */
  machine: z.string().nullable(),
  labels: z.array(z.string()),
  slots: z.int(),
  running: z.int(),
  seenSecondsAgo: Value,
  quarantineSeconds: Value,
  failures: z.int(),
  /** The host's problem, in words; null if it has none. */
  problem: z.string().nullable(),
  note: z.string().nullable(),
});
export type Host = z.infer<typeof Host>;

/** `GET fleet`. A gap is the time, in seconds, that a slot was free although its next run was ready; last 24 hours. */
export const Fleet = z.object({
  hosts: z.array(Host),
  slots: z.array(Slot),
  pools: z.array(
    z.object({ pool: z.string(), total: z.int(), leased: z.int(), waiting: z.int(), gapP50: Value, gapP95: Value }),
  ),
  busyHour: Value,
  busyDay: Value,
  now: At,
});
export type Fleet = z.infer<typeof Fleet>;

export const GanttQuery = z.object({ from: At.optional(), to: At.optional() });

/** `GET gantt?from=&to=`: the runs in a span of at most a day, as columns. `slot` is an index into `slots`. */
export const Gantt = z.object({
  from: At,
  to: At,
  slots: z.array(z.string()),
  bars: z.object({
    slot: z.array(z.int()),
    trialId: z.array(z.string()),
    /** Seconds since `from`. */
    start: z.array(z.number()),
    seconds: z.array(z.number()),
    /** Index into `GANTT_OUTCOMES`. */
    outcome: z.array(z.int()),
  }),
  /** True if there were more than 20,000 runs: only the newest are here. */
  cut: z.boolean(),
});
export type Gantt = z.infer<typeof Gantt>;
