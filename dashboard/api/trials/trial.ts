import { z } from 'zod';
import { At, Kind, Metric, Status, Value, Verdict } from '../shared.ts';

/** A trial that is named on the page of another one. */
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

/** Where one run of it was, and how that ended. */
export const Placement = z.object({
  placement: z.int(),
  host: z.string(),
  slot: z.string(),
  /** In words: GPUs, cores, memory. */
  machine: z.string().nullable(),
  launchedAt: At.nullable(),
  endedAt: At.nullable(),
  seconds: Value,
  cpuSeconds: Value,
  /** How its processes ended, in words. */
  end: z.string().nullable(),
  /** What the machine lacked: the run was not counted. */
  shortage: z.string().nullable(),
});
export type Placement = z.infer<typeof Placement>;

/** What the rule of early abort made of it. Values are on the metric's axis. */
export const Forecast = z.object({
  forecast: Value,
  low: Value,
  high: Value,
  /** What it had to beat. */
  toBeat: Value,
  /** Share of the budget at which it was looked at, 0 to 1. */
  share: Value,
  /** Whether the rule wanted to stop it, and whether it went on as part of the audit. */
  wanted: z.boolean(),
  audited: z.boolean(),
  words: z.string(),
});
export type Forecast = z.infer<typeof Forecast>;

/** One turn with a model: messages sent, the answer, tool calls in it. */
export const Call = z.object({
  turn: z.int(),
  model: z.string(),
  /** Messages at the beginning that are those of the turn before: they are not sent again. */
  before: z.int(),
  messages: z.array(z.object({ role: z.string(), text: z.string() })),
  answer: z.string().nullable(),
  tools: z.array(z.object({ name: z.string(), input: z.string(), output: z.string().nullable() })),
  error: z.string().nullable(),
  tokensIn: Value,
  tokensOut: Value,
  usd: Value,
  seconds: Value,
  repeated: z.int(),
});
export type Call = z.infer<typeof Call>;

/** `GET trial/:id` (`<research>/<n>`): all that is known of a trial but for its curve, diff, log and calls. */
export const Trial = z.object({
  trialId: z.string(),
  research: z.string(),
  n: z.int(),
  kind: Kind,
  ofTrial: z.int().nullable(),
  status: Status.nullable(),
  /** Of one under way, in words; `share`: of the budget of its run, where that is known. */
  stage: z.string().nullable(),
  share: Value,
  failure: z.string().nullable(),
  failureMessage: z.string().nullable(),
  /** Failure and outcome in words for a person. */
  outcomeWords: z.string(),
  verdict: Verdict,
  verdictWords: z.string().nullable(),
  reason: z.string().nullable(),
  metric: Metric,
  value: Value,
  trusted: z.boolean().nullable(),
  /** The mean of its parent's scored runs, and of the unmodified version's. */
  parentValue: Value,
  baselineValue: Value,
  /** The change that the proposer expected, and the one that came, in the metric's unit. */
  expectedDelta: Value,
  gotDelta: Value,
  metrics: z.array(z.object({ name: z.string(), value: z.string() })),
  hypothesis: z.string().nullable(),
  proposer: z.string().nullable(),
  /** Null where an older version chose it, or a person proposed. */
  proposerReason: z.string().nullable(),
  parentReason: z.string().nullable(),
  candidateId: z.string().nullable(),
  parentId: z.string().nullable(),
  seed: z.number(),
  staleness: z.int().nullable(),
  evaluatorNotes: z.string().nullable(),
  waits: z.string().nullable(),
  reward: z.object({ value: Value, parts: z.record(z.string(), z.number()), reason: z.string().nullable() }).nullable(),
  /** In words: by which version it was drawn, and which update learnt from it. */
  sample: z.object({ version: z.int(), update: z.int().nullable(), words: z.string() }).nullable(),
  /** In times of the baseline's compute, in words. */
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
  /** The trial that made its parent candidate; its children; other runs of the same candidate. 50 of each at most. */
  parent: Relative.nullable(),
  children: z.array(Relative),
  reruns: z.array(Relative),
  counts: z.object({ children: z.int(), reruns: z.int() }),
  previous: z.int().nullable(),
  next: z.int().nullable(),
  commands: z.array(z.object({ label: z.string(), command: z.string() })),
  temporalUrl: z.string().nullable(),
});
export type Trial = z.infer<typeof Trial>;

/** `GET trial/:id/curve`: columns of the last placement; values that are not finite are null and counted. */
export const Curve = z.object({
  /** What the curve shows, which may be another quantity than the metric. */
  name: z.string(),
  step: z.array(z.number()),
  /** Seconds; null where nobody saw the time. */
  elapsed: z.array(Value),
  value: z.array(Value),
  notFinite: z.int(),
  /** Where the rule wanted to stop it. */
  mark: z.object({ step: z.number(), label: z.string() }).nullable(),
});
export type Curve = z.infer<typeof Curve>;

/** `GET trial/:id/log`: the stored end of its output, its last placement's. */
export const Log = z.object({ text: z.string().nullable(), placement: z.int().nullable(), cut: z.boolean() });
export type Log = z.infer<typeof Log>;

/** `GET trial/:id/calls`: its model calls in order, each text cut to 200,000 characters. */
export const Calls = z.object({ calls: z.array(Call) });
export type Calls = z.infer<typeof Calls>;
