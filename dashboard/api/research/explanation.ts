import { z } from 'zod';
import { Metric, Value } from '../shared.ts';

const Interval = z.tuple([z.number(), z.number()]).nullable();

/** The influence of a knob. */
export const ExplainedKnob = z.object({
  key: z.string(),
  name: z.string(),
  file: z.string(),
  /** Candidates that set the knob to a value in its space. */
  n: z.int(),
  /** Reason why there is no importance; null if there is one. */
  without: z.enum(['too few trials', 'one value only']).nullable(),
  /** Share of the knob in the importance of all knobs, with its 95 % interval. */
  share: Value,
  interval: Interval,
  /** Share of shuffles that give the knob at least its importance. */
  chance: z.number(),
  /** Values of the knob among the best candidates. */
  topValues: z.object({ from: z.string(), to: z.string() }).nullable(),
  /** Medians of the candidates by parts of the knob's range; the interval is null with fewer than six candidates. */
  slice: z.array(z.object({ from: z.string(), to: z.string(), n: z.int(), median: Value, interval: Interval })),
});
export type ExplainedKnob = z.infer<typeof ExplainedKnob>;

/** The effect of an edit of a claim. */
const AblatedEdit = z.object({
  edit: z.string(),
  /** True if the claim without the edit is the unmodified version. */
  isOriginal: z.boolean(),
  /** Runs of the claim without the edit: with an outcome, and requested. */
  ended: z.int(),
  requested: z.int(),
  /** Mean of the claim's runs, and of its runs without the edit. */
  with: Value,
  without: Value,
  runsWith: z.int(),
  runsWithout: z.int(),
  /** Positive if the claim is better with the edit; null with fewer than two runs of either. */
  gain: Value,
  interval: Interval,
});

/** A claim without each of its edits. */
export const Ablation = z.object({
  claim: z.int(),
  ofTrial: z.int().nullable(),
  /** Runs of the whole claim for the comparison: with an outcome, and requested. */
  ended: z.int(),
  requested: z.int(),
  edits: z.array(AblatedEdit),
});
export type Ablation = z.infer<typeof Ablation>;

/** `GET research/:id/explanation`: the influence of knobs, from at most 500 candidates, and ablations. */
export const Explanation = z.object({
  metric: Metric.omit({ optimum: true }),
  /** Number of the best candidates that count as the top. */
  top: z.int(),
  knobs: z.array(ExplainedKnob),
  /** At most 200 candidates, the best first: the position and the value of each knob. */
  lines: z.array(
    z.object({
      value: z.number(),
      positions: z.array(Value),
      texts: z.array(z.string().nullable()),
      isTop: z.boolean(),
    }),
  ),
  candidates: z.object({
    total: z.int(),
    scored: z.int(),
    used: z.int(),
    withoutScore: z.record(z.string(), z.int()),
    ofOlderTasks: z.int(),
  }),
  /** The newest claim first. */
  ablations: z.array(Ablation),
});
export type Explanation = z.infer<typeof Explanation>;
