import { z } from 'zod';
import { MOST, seconds } from './fields.ts';

/** How progress lines are read into points: for the monitor and the curves, never for the score. */
export const Progress = z.strictObject({
  format: z.enum(['regex', 'json']).default('regex'),
  pattern: z.string().optional().describe('a regular expression with the named groups step and value'),
  step: z.string().default('step').describe('JSON key of the step'),
  value: z.string().default('loss').describe('JSON key of the value, and its name in the curves'),
  share: z
    .string()
    .optional()
    .describe('JSON key of the share of the budget that is spent, 0 to 1, where lines say so (regex: the group share)'),
  direction: z
    .enum(['minimize', 'maximize'])
    .optional()
    .describe('which values of a curve are better, whatever the metric is; default: minimize, a loss'),
  steps: z
    .number()
    .positive()
    .max(MOST.steps)
    .optional()
    .describe('step at which a run ends, where its budget is a number of steps'),
  stallSeconds: seconds.optional().describe('no line for so long ends the run as stalled'),
  divergeFactor: z
    .number()
    .gt(1)
    .optional()
    .describe('a value above the first one times this for 3 points ends the run'),
});

/** The one number that a task optimises. */
export const Metric = z.strictObject({
  name: z.string().min(1),
  direction: z.enum(['minimize', 'maximize']),
  min: z.number().optional().describe('lower bound; below it the trial failed'),
  max: z.number().optional().describe('upper bound; above it the trial failed'),
  minDelta: z.number().nonnegative().default(0).describe('smaller gains are no gains'),
  unit: z.string().optional(),
  from: z.enum(['evaluator', 'stdout']).default('evaluator').describe('stdout marks every trial untrusted'),
  format: z.enum(['regex', 'json']).default('regex').describe('how it is read from stdout'),
  pattern: z
    .string()
    .optional()
    .describe('a regular expression with the named group value; default: "<name>: <number>" on a line'),
  optimum: z.number().optional().describe('best possible value, where known (e.g. the entropy of the source)'),
});

/** Another number that the evaluator gives: shown, never decided by. */
export const SecondaryMetric = z.strictObject({
  name: z.string().min(1),
  direction: z.enum(['minimize', 'maximize']).optional(),
  min: z.number().optional(),
  max: z.number().optional(),
});

export type Metric = z.infer<typeof Metric>;
export type Progress = z.infer<typeof Progress>;
