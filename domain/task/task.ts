import { z } from 'zod';
import { Budget } from './schema/budget.ts';
import { Environment } from './schema/environment.ts';
import { Evaluator } from './schema/evaluator.ts';
import { LONGEST_SECONDS, relativePath, seconds } from './schema/fields.ts';
import { Knob } from './schema/knob.ts';
import { Metric, Progress, SecondaryMetric } from './schema/metric.ts';
import { Run } from './schema/run.ts';
import { Abort, Keep, LlmSettings, Search } from './schema/search.ts';

/** A task: one folder, one strict YAML file. Paths are relative to the folder. */
export const Task = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'lower-case letters, digits, dot, dash, underscore; at most 64'),
  description: z.string().min(1),
  workspace: relativePath.default('workspace'),
  mutable: z.array(z.string().min(1)).min(1).describe('globs of the files that a proposal may change'),
  immutable: z
    .array(z.string().min(1))
    .default([])
    .describe('globs of files that must not change; whatever is not mutable is immutable anyway'),
  run: Run,
  environment: Environment.optional().describe('Python and packages for run, evaluator and setup, built once'),
  setup: z
    .strictObject({
      commands: z.array(z.string().min(1)).min(1),
      timeoutSeconds: seconds.max(LONGEST_SECONDS).default(1800),
    })
    .optional()
    .describe('run once per host and content hash'),
  requires: z
    .array(z.string().min(1).max(200))
    .max(50)
    .default([])
    .describe('programs that its machine must have: python3>=3.10, nvidia-smi, import numpy'),
  metric: Metric,
  progress: Progress.optional(),
  evaluator: Evaluator,
  secondary: z.array(SecondaryMetric).default([]),
  repeats: z.number().int().min(1).max(32).default(1).describe('seeds whose mean a search candidate is judged by'),
  prompt: relativePath.optional().describe('a Markdown file for the proposer; default: prompt.md where it exists'),
  search: Search.prefault({}),
  abort: Abort.prefault({}),
  keep: Keep.prefault({}),
  llm: LlmSettings.prefault({}),
  budget: Budget.prefault({}),
  knobs: z.array(Knob).default([]),
  references: z
    .array(z.strictObject({ name: z.string().min(1).max(40), value: z.number() }))
    .max(5)
    .optional()
    .describe('mean rewards that the curve of a proposer that learns is drawn against'),
});

export type Task = z.infer<typeof Task>;
export type TaskInput = z.input<typeof Task>;
