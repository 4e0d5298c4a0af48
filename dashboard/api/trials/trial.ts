import { z } from 'zod';
import { At, Kind, Metric, Status, Value, Verdict } from '../shared.ts';

/** A trial that the page of another trial names. */
export const Relative = z.object({
  trialId: z.string(),
  n: z.int(),
  kind: Kind,
  status: Status.nullable(),
  verdict: Verdict,
  value: Value,
  hypothesis: z.string().nullable(),
});
export type Relative = z.infer<typeof Relative>;

/** One run of the trial on a slot, and its end. */
export const Placement = z.object({
  placement: z.int(),
  host: z.string(),
  slot: z.string(),
  /** GPUs, cores and memory, in words. */
  machine: z.string().nullable(),
  launchedAt: At.nullable(),
  endedAt: At.nullable(),
  seconds: Value,
  cpuSeconds: Value,
  /** End of the run's processes, in words; null while it goes on. */
  end: z.string().nullable(),
  /** Resource that the machine lacked. Such a run does not count. */
  shortage: z.string().nullable(),
  /** The run's wait for a CPU that others used, in words, if the run does not count for that reason. */
  contention: z.string().nullable(),
});
export type Placement = z.infer<typeof Placement>;

/** Judgement of the early-abort rule on the run. Values are in the metric's unit. */
export const Forecast = z.object({
  forecast: Value,
  low: Value,
  high: Value,
  /** The value that the run had to beat. */
  toBeat: Value,
  /** Share of the budget at which the rule judged the run, 0 to 1. */
  share: Value,
  /** True if the rule wanted to stop the run. */
  wanted: z.boolean(),
  /** True if the run went on nevertheless, to measure the rule's error. */
  audited: z.boolean(),
  words: z.string(),
});
export type Forecast = z.infer<typeof Forecast>;

/** One turn with a model: the messages sent, the answer and its tool calls. */
export const Call = z.object({
  turn: z.int(),
  role: z.enum(['proposer', 'evaluator']),
  model: z.string(),
  /** `withheld`: no page shows the text of an evaluator's calls; `removed`: the texts were old. */
  bodies: z.enum(['kept', 'removed', 'withheld']),
  /** Number of messages that earlier calls of the trial had too: they are left out of `messages`. */
  before: z.int(),
  messages: z.array(z.object({ role: z.string(), text: z.string() })),
  answer: z.string().nullable(),
  tools: z.array(z.object({ name: z.string(), input: z.string(), output: z.string().nullable() })),
  error: z.string().nullable(),
  /** HTTP status of the endpoint; null: none came, or a proposer of Perpetua made the call. */
  status: z.int().nullable(),
  tokensIn: Value,
  tokensOut: Value,
  /** Part of the tokens in that was cached, and part of the tokens out that was reasoning. */
  tokensCached: Value,
  tokensReasoning: Value,
  usd: Value,
  seconds: Value,
  repeated: z.int(),
  /** Repetitions, failures, an answer that broke off, and estimated tokens, in words. */
  marks: z.array(z.string()),
  /** Tokens of the parts of the prompt, in words; null if they were not measured. */
  parts: z.string().nullable(),
});
export type Call = z.infer<typeof Call>;

/** `GET trial/:id` (`<research>/<n>`): a trial. Its curve, diff, log and calls are separate resources. */
export const Trial = z.object({
  trialId: z.string(),
  research: z.string(),
  n: z.int(),
  kind: Kind,
  ofTrial: z.int().nullable(),
  status: Status.nullable(),
  /** Stage of a trial under way, in words; null once it has an outcome. */
  stage: z.string().nullable(),
  /** Share of the run's budget that is spent, 0 to 1; null if unknown. */
  share: Value,
  failure: z.string().nullable(),
  failureMessage: z.string().nullable(),
  /** Failure and outcome, in words for a person. */
  outcomeWords: z.string(),
  verdict: Verdict,
  verdictWords: z.string().nullable(),
  reason: z.string().nullable(),
  metric: Metric,
  value: Value,
  trusted: z.boolean().nullable(),
  /** Mean of the scored runs of the trial's parent, and of the unmodified version. */
  parentValue: Value,
  baselineValue: Value,
  /** Change that the proposer expected, and the change measured, in the metric's unit. */
  expectedDelta: Value,
  gotDelta: Value,
  metrics: z.array(z.object({ name: z.string(), value: z.string() })),
  hypothesis: z.string().nullable(),
  proposer: z.string().nullable(),
  /** Reason for the choice of the proposer; null if an older version chose it, or a person made the proposal. */
  proposerReason: z.string().nullable(),
  /** The run of the coding agent that makes the proposal, in words; null if there is none. */
  agent: z.string().nullable(),
  parentReason: z.string().nullable(),
  /** Kind of change that the proposer was asked for, in words; null: any. */
  operator: z.string().nullable(),
  candidateId: z.string().nullable(),
  parentId: z.string().nullable(),
  seed: z.number(),
  staleness: z.int().nullable(),
  evaluatorNotes: z.string().nullable(),
  /** Cases of the evaluator; `heldOut`: no proposer reads the case. */
  cases: z.array(z.object({ name: z.string(), value: z.string(), text: z.string(), heldOut: z.boolean() })),
  /** Reason for a wait, in words that follow "waits"; null if the trial does not wait. */
  waits: z.string().nullable(),
  reward: z.object({ value: Value, parts: z.record(z.string(), z.number()), reason: z.string().nullable() }).nullable(),
  /** The policy version that drew the trial, and the update that learnt from it; null if no policy drew it. */
  sample: z.object({ version: z.int(), update: z.int().nullable(), words: z.string() }).nullable(),
  /** Compute as a multiple of the baseline's, in words. */
  compute: z.string().nullable(),
  seconds: Value,
  slotWaitSeconds: Value,
  usd: Value,
  tokens: Value,
  createdAt: At,
  startedAt: At.nullable(),
  endedAt: At.nullable(),
  placements: z.array(Placement),
  forecast: Forecast.nullable(),
  /** The first trial that ran the parent candidate. */
  parent: Relative.nullable(),
  /** Trials made from this trial's candidate, at most 50. */
  children: z.array(Relative),
  /** Other trials of the same candidate, at most 50. */
  reruns: z.array(Relative),
  /** Numbers of all children and reruns. */
  counts: z.object({ children: z.int(), reruns: z.int() }),
  /** Numbers of the trials before and after this one; null at either end. */
  previous: z.int().nullable(),
  next: z.int().nullable(),
  commands: z.array(z.object({ label: z.string(), command: z.string() })),
  temporalUrl: z.string().nullable(),
});
export type Trial = z.infer<typeof Trial>;

/** `GET trial/:id/curve`: points of the last placement that has any, as columns. A value that is not finite is null. */
export const Curve = z.object({
  /** Name of the quantity in the curve, which may differ from the metric. */
  name: z.string(),
  step: z.array(z.number()),
  /** Seconds since the start of the run; null if unknown. */
  elapsed: z.array(Value),
  value: z.array(Value),
  /** Number of points whose step or value is not finite. */
  notFinite: z.int(),
  /** Point at which the early-abort rule wanted to stop the run. */
  mark: z.object({ step: z.number(), label: z.string() }).nullable(),
});
export type Curve = z.infer<typeof Curve>;

/** `GET trial/:id/log`: the stored end of the output of the last placement. `cut`: true if the run printed more. */
export const Log = z.object({ text: z.string().nullable(), placement: z.int().nullable(), cut: z.boolean() });
export type Log = z.infer<typeof Log>;

/**
 * `GET trial/:id/calls`: the trial's model calls in order, each text cut to 200,000 characters, all texts together to 4
 * million.
 */
export const Calls = z.object({ calls: z.array(Call) });
export type Calls = z.infer<typeof Calls>;
