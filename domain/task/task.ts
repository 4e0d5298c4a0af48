import { z } from 'zod';
import { Budget } from '../schema/budget.ts';
import { Environment } from '../schema/environment.ts';
import { Evaluator } from '../schema/evaluator.ts';
import { LONGEST_STEP_SECONDS, relativePath, seconds } from '../schema/fields.ts';
import { Knob } from '../knob/knob.ts';
import { Metric, Progress, SecondaryMetric } from '../schema/metric.ts';
import { Preflight } from '../schema/preflight.ts';
import { Run } from '../schema/run.ts';
import { Abort, Keep, LlmSettings, Search } from '../search/schema.ts';
import { NAME_RULE, TASK_NAME } from './task-name.ts';

/** A task: the content of task.yaml in the task's folder. Paths are relative to the folder; unknown keys are errors. */
export const Task = z.strictObject({
  name: z
    .string()
    .regex(TASK_NAME, NAME_RULE)
    .describe('lower-case letters, digits, dot, dash, underscore; at most 64. The default id of its research'),
  description: z.string().min(1).describe('what a good solution is; the proposer reads it'),
  workspace: relativePath.default('workspace').describe('folder of the program'),
  mutable: z.array(z.string().min(1)).min(1).describe('globs of the files of the workspace that a proposal may change'),
  immutable: z
    .array(z.string().min(1))
    .default([])
    .describe('globs of exceptions from `mutable`; what is not mutable is immutable anyway'),
  run: Run.meta({ example: '{ command: python3 train.py, budget: { seconds: 300 } }' }),
  environment: Environment.optional().describe(
    'Python and packages for run, evaluator and setup, built once on each machine',
  ),
  setup: z
    .strictObject({
      commands: z
        .array(z.string().min(1))
        .min(1)
        .describe('each passed to `sh -c`, in order; they can read the immutable files, but not the mutable ones'),
      timeoutSeconds: seconds
        .max(LONGEST_STEP_SECONDS)
        .default(1800)
        .describe('time limit of all commands together, without the wait for other setups'),
    })
    .optional()
    .describe('commands that prepare a machine, run once for each host and content'),
  requires: z
    .array(z.string().min(1).max(200))
    .max(50)
    .default([])
    .describe(
      "programs of the run's PATH, such as `nvidia-smi` or `'python3>=3.10,<3.14'`; " +
        'modules of its `python3`: `import numpy`',
    ),
  metric: Metric.meta({ example: '{ name: loss, direction: minimize }' }),
  progress: Progress.optional().describe('how lines of the output become points of a curve, which is never the score'),
  evaluator: Evaluator.meta({ example: '{ type: artefact, command: python3 score.py }' }),
  preflight: Preflight.optional().describe('checks of a candidate before it takes a slot'),
  secondary: z
    .array(SecondaryMetric)
    .default([])
    .describe('further numbers of the evaluator that have bounds; none if `metric.from` is `stdout`'),
  repeats: z
    .number()
    .int()
    .min(1)
    .max(32)
    .default(1)
    .describe('seeds of a search candidate, whose mean decides; only with `keep.policy: strict`'),
  prompt: relativePath
    .optional()
    .meta({ description: 'Markdown file for the proposer', otherwise: '`prompt.md` if it exists' }),
  search: Search.prefault({}),
  abort: Abort.prefault({}),
  keep: Keep.prefault({}),
  llm: LlmSettings.prefault({}),
  budget: Budget.prefault({}),
  knobs: z.array(Knob).default([]).describe('values that a proposer may set without a model'),
  references: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(40).describe('name of the mean, at most 40 characters'),
        value: z.number().describe('the mean reward'),
        baseline: z
          .number()
          .optional()
          .describe(
            'value of the baseline from which the mean reward was computed. If the reward is an absolute gain over ' +
              'the baseline, the reference is shifted by the difference to the baseline of the research',
          ),
      }),
    )
    .max(5)
    .optional()
    .describe('mean rewards to compare with what a policy learnt, five at most'),
});

export type Task = z.infer<typeof Task>;
export type TaskInput = z.input<typeof Task>;
