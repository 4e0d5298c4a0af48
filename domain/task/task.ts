import { z } from 'zod';
import { Abort, Budget, Keep, Knob, LlmSettings, Search } from './search.ts';

const seconds = z.number().positive();
/** Of a setup or an evaluation: workflows/timeouts.ts has room for it. */
const LONGEST_SECONDS = 86_400;
const relativePath = z.string().min(1);
const environmentName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'an environment variable name');

/** Newer than hashes of tasks that are stored: `hashesOf` in tasks/load.ts leaves it out. */
export const DEFAULT_FILES = 200_000;

/** A file that a run leaves behind, by its path in the run directory. */
const Artefact = z.strictObject({ path: relativePath, maxMb: z.number().positive().default(16) });

/** The kernel takes no argument of a program above 128 KiB: no host could begin such a run. */
const argument = z.string().max(30_000);

/** How the edited workspace is run on a slot. */
const Run = z.strictObject({
  command: argument.min(1).describe('passed to sh -c in the run directory'),
  budget: z
    .strictObject({
      seconds,
      kind: z
        .enum(['cpu', 'reference', 'wall'])
        .default('wall')
        .describe(
          'cpu for single-threaded CPU tasks, reference if the run weighs its CPU seconds by the speed of its core, wall for a GPU of its own',
        ),
    })
    .describe('what the candidate is meant to spend; it reads PERPETUA_BUDGET_SECONDS'),
  timeoutSeconds: seconds
    .optional()
    .describe('hard limit of wall clock; default: 2 × budget + 30, for kind reference at least 6 × budget'),
  graceSeconds: seconds.default(5).describe('from TERM to KILL, at most an hour; the other limits hold meanwhile'),
  env: z.record(environmentName, argument).default({}).describe('set for the run'),
  passEnv: z.array(environmentName).default([]).describe("names let through from the worker's environment"),
  artefacts: z.array(Artefact).default([]),
  resources: z
    .strictObject({
      pool: z.string().min(1).default('local'),
      memoryMb: z.number().int().positive().default(2048),
      processes: z.number().int().positive().default(64),
      outputMb: z.number().positive().default(16),
      diskMb: z.number().int().positive().default(1024),
      files: z.number().int().positive().default(DEFAULT_FILES).describe('files, folders and links that a run may add'),
    })
    .prefault({}),
  sandbox: z
    .enum(['required', 'preferred', 'none'])
    .optional()
    .describe('default: required where a model writes code, preferred where only knobs change'),
});

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
  steps: z.number().positive().optional().describe('step at which a run ends, where its budget is a number of steps'),
  stallSeconds: seconds.optional().describe('no line for so long ends the run as stalled'),
  divergeFactor: z
    .number()
    .gt(1)
    .optional()
    .describe('a value above the first one times this for 3 points ends the run'),
});

/** What is optimised. */
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

const SecondaryMetric = z.strictObject({
  name: z.string().min(1),
  direction: z.enum(['minimize', 'maximize']).optional(),
  min: z.number().optional(),
  max: z.number().optional(),
});

const evaluatorFiles = z
  .string()
  .min(1)
  .default('evaluator')
  .describe('folder of the evaluator, outside the workspace');

/** Who scores. `interactive` asks the candidate's program over pipes. */
const Evaluator = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({
    type: z.literal('artefact'),
    command: z.string().min(1),
    files: evaluatorFiles,
    timeoutSeconds: seconds.max(LONGEST_SECONDS).default(60),
  }),
  z.strictObject({
    type: z.literal('interactive'),
    command: z.string().min(1).describe("the evaluator; its stdin and stdout are the candidate's stdout and stdin"),
    files: evaluatorFiles,
    answer: argument.min(1).describe("the candidate's program that answers, run in the sandbox on the trial's slot"),
    timeoutSeconds: seconds.max(LONGEST_SECONDS).default(120),
    roundSeconds: seconds.default(10).describe('longest silence of the candidate'),
    lineKb: z.number().positive().default(1024).describe('longest line of an answer'),
    totalMb: z.number().positive().default(64),
    cpuSeconds: seconds.optional().describe('CPU seconds of the answering program; default: no limit'),
  }),
]);

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
  setup: z
    .strictObject({
      commands: z.array(z.string().min(1)).min(1),
      timeoutSeconds: seconds.max(LONGEST_SECONDS).default(1800),
    })
    .optional()
    .describe('run once per host and content hash'),
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
});

export type Task = z.infer<typeof Task>;
export type TaskInput = z.input<typeof Task>;
export type Metric = z.infer<typeof Metric>;
export type Progress = z.infer<typeof Progress>;
