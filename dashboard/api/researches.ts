import { z } from 'zod';
import { At, Attention, CalmState, Measured, Metric, Value } from './shared.ts';

/** A row of `GET researches`. Researches that have not ended come first, then the most recently changed. */
export const ResearchRow = z.object({
  id: z.string(),
  task: z.string(),
  proposer: z.string(),
  phase: z.string(),
  reason: z.string().nullable(),
  metric: Metric,
  baseline: Measured.nullable(),
  /** The current claim; before the first claim, the unmodified version. */
  best: Measured.nullable(),
  /** The claim's gain over the baseline in the metric's unit; positive is better. Null if there is no claim. */
  gain: z.object({ value: z.number(), low: Value, high: Value }).nullable(),
  trials: z.object({ ended: z.int(), running: z.int() }),
  spend: z.object({ usd: z.number(), tokens: z.number(), slotSeconds: z.number() }),
  /** The baseline, then the values of the claims by trial number, for a sparkline. */
  spark: z.object({ n: z.array(z.int()), value: z.array(z.number()) }),
  createdAt: At,
  updatedAt: At,
});
export type ResearchRow = z.infer<typeof ResearchRow>;

export const Researches = z.object({
  researches: z.array(ResearchRow),
  /** Researches whose rows this version cannot read, with the reason. */
  damaged: z.array(z.object({ id: z.string(), message: z.string() })),
  /** Entries of all researches and hosts, the most severe first, without those that were put away for everybody. */
  attention: z.array(Attention),
  states: z.array(CalmState),
  now: At,
  /** Seconds for which an open transaction has held back the newest events; 0 if there is none. */
  heldBackSeconds: Value,
});
export type Researches = z.infer<typeof Researches>;
