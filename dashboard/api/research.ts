import { z } from 'zod';
import type { StatusView } from '../../view/status.ts';
import { BudgetLine } from './spend.ts';
import { At, Attention, Kind, Level, Measured, Metric, Status, Value, Verdict } from './shared.ts';

/** A claim of a research, as it was made: the history of the best. */
export const Claim = Measured.extend({
  seq: z.int(),
  /** The search trial that it confirms; null for the unmodified version. */
  ofTrial: z.int().nullable(),
  candidateId: z.string(),
  reason: z.string(),
  by: z.string(),
  at: At,
  /** Trials that had ended then. */
  ended: z.int(),
  hypothesis: z.string().nullable(),
});
export type Claim = z.infer<typeof Claim>;

/** A stretch of time in one phase; `to` is null while it lasts. */
export const PhaseSpan = z.object({ phase: z.string(), reason: z.string().nullable(), from: At, to: At.nullable() });
export type PhaseSpan = z.infer<typeof PhaseSpan>;

/** A ruling on a proposal, or its failure. */
export const Ruling = z.object({
  trialId: z.string(),
  n: z.int(),
  kind: Kind,
  status: Status,
  failure: z.string().nullable(),
  verdict: Verdict,
  value: Value,
  /** Against the baseline, better is positive. */
  gain: Value,
  hypothesis: z.string().nullable(),
  reason: z.string().nullable(),
  at: At,
});
export type Ruling = z.infer<typeof Ruling>;

/** A trial under way: `stage` in words (proposing, waiting for a slot, running, scoring). */
export const Running = z.object({
  trialId: z.string(),
  n: z.int(),
  kind: Kind,
  ofTrial: z.int().nullable(),
  hypothesis: z.string().nullable(),
  stage: z.string(),
  slot: z.string().nullable(),
  since: At.nullable(),
  /** Share of its budget that is spent, 0 to 1; null where it is not known. */
  share: Value,
  /** The last points of its progress, for a small curve. */
  curve: z.object({ step: z.array(z.number()), value: z.array(Value) }),
});
export type Running = z.infer<typeof Running>;

/** The latest idea as a diff: of the newest proposal that has a candidate. */
export const Idea = z.object({
  trialId: z.string(),
  n: z.int(),
  hypothesis: z.string().nullable(),
  /** Unified, cut to some 200 lines. */
  diff: z.string(),
  cut: z.boolean(),
});
export type Idea = z.infer<typeof Idea>;

/** `GET research/:id`: a research on one screen. `status` is that of `perpetua status --json`, by the same function. */
export const Research = z.object({
  status: z.custom<StatusView>((value) => typeof value === 'object' && value !== null),
  metric: Metric,
  description: z.string().nullable(),
  createdAt: At,
  /** The claim by all its runs so far; the unmodified version before the first one. */
  best: Measured.nullable(),
  claims: z.array(Claim),
  phases: z.array(PhaseSpan),
  /** The newest first, 30 at most. */
  rulings: z.array(Ruling),
  /** Under way, the oldest first. */
  running: z.array(Running),
  idea: Idea.nullable(),
  budgets: z.array(BudgetLine),
  /** What comes next, in short sentences: runs that the gate wants, the budget's end, what is waited for. */
  next: z.array(z.string()),
  attention: z.array(Attention),
  notes: z.array(z.object({ text: z.string(), at: At })),
  /** Wishes that a person may copy, each with its command: note, pause or resume, stop. */
  commands: z.array(z.object({ label: z.string(), command: z.string() })),
  /** Page of its workflow in Temporal's Web UI, where that is known. */
  temporalUrl: z.string().nullable(),
  events: z.array(z.object({ at: At, kind: z.string(), level: Level, n: z.int().nullable(), text: z.string() })),
  /** Whether it learns: then there is a page of learning. */
  learns: z.boolean(),
  now: At,
});
export type Research = z.infer<typeof Research>;
