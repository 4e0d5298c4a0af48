import { z } from 'zod';
import { argument, environmentName, hostFolder, MOST, relativePath, seconds } from './fields.ts';

/** Newer than hashes of tasks that are stored: `hashesOf` in tasks/load.ts leaves it out. */
export const DEFAULT_FILES = 200_000;

/** A file that a run leaves behind, by its path in the run directory. */
const Artefact = z.strictObject({
  path: relativePath,
  maxMb: z.number().positive().max(MOST.heldMegabytes).default(16),
});

/** How the edited workspace is run on a slot. */
export const Run = z.strictObject({
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
      most: z
        .number()
        .min(1)
        .max(1000)
        .optional()
        .describe(
          'a run that uses more than so many times the budget, answers included, is ended; default: 1.5; none for wall',
        ),
    })
    .describe('what the candidate is meant to spend; it reads PERPETUA_BUDGET_SECONDS'),
  timeoutSeconds: seconds
    .optional()
    .describe('hard limit of wall clock; default: 2 × budget + 30, for kind reference at least 6 × budget'),
  graceSeconds: seconds.default(5).describe('from TERM to KILL, at most an hour; the other limits hold meanwhile'),
  env: z.record(environmentName, argument).default({}).describe('set for the run'),
  path: z
    .array(hostFolder)
    .max(20)
    .default([])
    .describe('folders of programs on the machine, such as /home/me/venv/bin: first on PATH, seen in the sandbox'),
  readable: z
    .array(hostFolder)
    .max(20)
    .default([])
    .describe('further folders of the machine that runs may read in the sandbox, such as /data'),
  passEnv: z.array(environmentName).default([]).describe("names let through from the worker's environment"),
  artefacts: z.array(Artefact).default([]),
  resources: z
    .strictObject({
      pool: z.string().min(1).default('local'),
      memoryMb: z.number().int().positive().max(MOST.megabytes).default(2048),
      processes: z.number().int().positive().max(MOST.processes).default(64),
      outputMb: z.number().positive().max(MOST.heldMegabytes).default(16),
      diskMb: z.number().int().positive().max(MOST.megabytes).default(1024),
      files: z
        .number()
        .int()
        .positive()
        .max(MOST.files)
        .default(DEFAULT_FILES)
        .describe('files, folders and links that a run may add'),
    })
    .prefault({}),
  sandbox: z
    .enum(['required', 'preferred', 'none'])
    .optional()
    .describe('default: required where a model writes code, preferred where only knobs change'),
});

export type Run = z.infer<typeof Run>;
