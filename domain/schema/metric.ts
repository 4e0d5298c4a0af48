import { z } from 'zod';
import { FIELD_MAXIMA, seconds } from './fields.ts';

const name = z.string().min(1).describe('the key that the evaluator reports');

/** Format of progress lines, from which the monitor and the curves read points; the score never uses them. */
export const Progress = z.strictObject({
  format: z
    .enum(['regex', 'json'])
    .default('regex')
    .describe('how a line is read; `json`: a line that is one JSON object'),
  pattern: z
    .string()
    .optional()
    .describe('regular expression with the named groups `step` and `value`; needed with `regex`'),
  step: z.string().default('step').describe('JSON key of the step'),
  value: z.string().default('loss').describe('JSON key of the value, and its name in messages and curves'),
  share: z
    .string()
    .optional()
    .describe('JSON key of the share of the budget that is spent, 0 to 1; with `regex` the named group `share`'),
  direction: z
    .enum(['minimize', 'maximize'])
    .optional()
    .meta({ description: 'which values of a curve are better, whatever the metric is', otherwise: '`minimize`' }),
  steps: z
    .number()
    .positive()
    .max(FIELD_MAXIMA.steps)
    .optional()
    .describe('last step of a run, if its budget is a number of steps'),
  stallSeconds: seconds
    .optional()
    .describe(
      'seconds without a line after which the run ends as `stalled`; only time in which the worker reads counts, ' +
        'at most 3 s for each read',
    ),
  divergeFactor: z
    .number()
    .gt(1)
    .optional()
    .describe('after 3 values in a row above the first value times this factor, the run ends as `diverged`'),
});

/** The number that a task optimises. */
export const Metric = z.strictObject({
  name,
  direction: z.enum(['minimize', 'maximize']).describe('which values are better'),
  min: z.number().optional().describe('lower bound; a value below it is a failure, never a win'),
  max: z.number().optional().describe('upper bound; a value above it is a failure, never a win'),
  minDelta: z.number().nonnegative().default(0).describe('a gain counts only if it is larger'),
  unit: z.string().optional().describe('shown behind values'),
  from: z
    .enum(['evaluator', 'stdout'])
    .default('evaluator')
    .describe('where the value comes from; `stdout` needs `evaluator.type: none`, and every trial is then untrusted'),
  format: z.enum(['regex', 'json']).default('regex').describe('how the value is read from stdout'),
  pattern: z.string().optional().meta({
    description: 'regular expression with the named group `value`; only with `from: stdout` and `format: regex`',
    otherwise: '`name: number` on a line',
  }),
  optimum: z
    .number()
    .optional()
    .describe('best possible value, if it is known, such as the entropy of the source; the prompt states it'),
  known: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(60).describe('where the value comes from'),
        value: z.number().describe('the value, in the unit of the metric'),
      }),
    )
    .max(5)
    .optional()
    .describe('known values to compare with, such as a published result or what a simple method reaches, five at most'),
});

/** Another number that the evaluator reports. It is shown, and no verdict depends on it. */
export const SecondaryMetric = z.strictObject({
  name,
  direction: z.enum(['minimize', 'maximize']).optional().describe('for readers; it decides nothing'),
  min: z.number().optional().describe('lower bound; below it the trial failed'),
  max: z.number().optional().describe('upper bound; above it the trial failed'),
});

export type Metric = z.infer<typeof Metric>;
export type Progress = z.infer<typeof Progress>;
