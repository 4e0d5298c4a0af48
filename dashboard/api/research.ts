import { z } from 'zod';
import type { StatusView } from '../../view/status.ts';
import { BudgetLine } from './spend.ts';
import { At, Attention, CalmState, Kind, Level, Measured, Metric, Status, Value, Verdict } from './shared.ts';

/**
 * A claim of a research: the present one as it is measured now, others as they were made. The claims together are the
 * history of the best.
 */
export const Claim = Measured.extend({
  /** The claim as it was made. */
  made: Measured,
  seq: z.int(),
  /** Number of the search trial that the claim confirms; null for the unmodified version. */
  ofTrial: z.int().nullable(),
  candidateId: z.string(),
  reason: z.string(),
  by: z.string(),
  at: At,
  /** Number of trials that had ended when the claim was made. */
  ended: z.int(),
  hypothesis: z.string().nullable(),
});
export type Claim = z.infer<typeof Claim>;

/** A span of time in one phase; `to` is null while it lasts. */
export const PhaseSpan = z.object({ phase: z.string(), reason: z.string().nullable(), from: At, to: At.nullable() });
export type PhaseSpan = z.infer<typeof PhaseSpan>;

/** A verdict on a proposal, or its failure. */
export const Ruling = z.object({
  trialId: z.string(),
  n: z.int(),
  kind: Kind,
  status: Status,
  failure: z.string().nullable(),
  verdict: Verdict,
  value: Value,
  /** Gain over the baseline; positive is better. */
  gain: Value,
  hypothesis: z.string().nullable(),
  reason: z.string().nullable(),
  at: At,
});
export type Ruling = z.infer<typeof Ruling>;

/** A trial under way. `stage` is in words: proposing, waiting for a slot, running, scoring. */
export const Running = z.object({
  trialId: z.string(),
  n: z.int(),
  kind: Kind,
  ofTrial: z.int().nullable(),
  hypothesis: z.string().nullable(),
  stage: z.string(),
  slot: z.string().nullable(),
  since: At.nullable(),
  /** Share of the run's budget that is spent, 0 to 1; null if unknown. */
  share: Value,
  /** The last points of the run's progress, for a sparkline. */
  curve: z.object({ step: z.array(z.number()), value: z.array(Value) }),
});
export type Running = z.infer<typeof Running>;

/** The newest proposal that has a candidate, as a diff against its parent. */
export const Idea = z.object({
  trialId: z.string(),
  n: z.int(),
  hypothesis: z.string().nullable(),
  /** Unified diff, at most 200 lines. */
  diff: z.string(),
  cut: z.boolean(),
});
export type Idea = z.infer<typeof Idea>;

/** `GET research/:id`: a research on one screen. `status` is the view that `perpetua status --json` prints. */
export const Research = z.object({
  status: z.custom<StatusView>((value) => typeof value === 'object' && value !== null),
  metric: Metric,
  description: z.string().nullable(),
  createdAt: At,
  /** The current claim, measured over all its runs so far; before the first claim, the unmodified version. */
  best: Measured.nullable(),
  claims: z.array(Claim),
  phases: z.array(PhaseSpan),
  /** At most 30 rulings, the newest first. */
  rulings: z.array(Ruling),
  /** Trials under way, the oldest first. */
  running: z.array(Running),
  idea: Idea.nullable(),
  budgets: z.array(BudgetLine),
  /** Next steps in short sentences: runs that the gate wants, the end of the budget, waits. */
  next: z.array(z.string()),
  attention: z.array(Attention),
  states: z.array(CalmState),
  notes: z.array(z.object({ text: z.string(), at: At })),
  /** Commands to copy, each with a label: note, pause or resume, stop. */
  commands: z.array(z.object({ label: z.string(), command: z.string() })),
  /** Page of the workflow in Temporal's Web UI; null if the UI's address is unknown. */
  temporalUrl: z.string().nullable(),
  events: z.array(z.object({ at: At, kind: z.string(), level: Level, n: z.int().nullable(), text: z.string() })),
  /** True if the research trains a policy: then it has a learning page. */
  learns: z.boolean(),
  now: At,
});
export type Research = z.infer<typeof Research>;
