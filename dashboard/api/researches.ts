import { z } from 'zod';
import { At, Attention, Measured, Metric, Value } from './shared.ts';

/** `GET researches`: every research, those that go on first, then by their last change. */
export const ResearchRow = z.object({
  id: z.string(),
  task: z.string(),
  proposer: z.string(),
  phase: z.string(),
  reason: z.string().nullable(),
  metric: Metric,
  baseline: Measured.nullable(),
  /** The claim; the unmodified version before the first one. */
  best: Measured.nullable(),
  /** Corrected gain of the claim over the baseline, in the metric's unit, better is positive; null where nothing is claimed. */
  gain: z.object({ value: z.number(), low: Value, high: Value }).nullable(),
  trials: z.object({ ended: z.int(), running: z.int() }),
  spend: z.object({ usd: z.number(), tokens: z.number(), slotSeconds: z.number() }),
  /** The claims' values by trial number, the first one the baseline. */
  spark: z.object({ n: z.array(z.int()), value: z.array(z.number()) }),
  createdAt: At,
  updatedAt: At,
});
export type ResearchRow = z.infer<typeof ResearchRow>;

export const Researches = z.object({
  researches: z.array(ResearchRow),
  /** Rows that this version cannot read, and why. */
  damaged: z.array(z.object({ id: z.string(), message: z.string() })),
  /** Over all researches and hosts, the loudest first. */
  attention: z.array(Attention),
  now: At,
  /** Seconds by which the newest events are held back by a transaction that is open; 0 where none is. */
  heldBackSeconds: Value,
});
export type Researches = z.infer<typeof Researches>;
