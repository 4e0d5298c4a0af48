import { z } from 'zod';
import { argument, environmentName, hostFolder, FIELD_MAXIMA, relativePath, seconds } from './fields.ts';

/**
 * Default of `run.resources.files`. `hashesOf` in tasks/load.ts omits it: stored task hashes are older than this key.
 */
export const DEFAULT_FILES = 200_000;

/** A file that a run leaves in its run directory for the evaluator. */
const Artefact = z.strictObject({
  path: relativePath.describe('path in the run directory'),
  maxMb: z.number().positive().max(FIELD_MAXIMA.heldMegabytes).default(16).describe('a larger file fails the trial'),
});

/** Command, limits and environment of a run on a slot. */
export const Run = z.strictObject({
  command: argument.min(1).describe('passed to `sh -c` in the run directory'),
  budget: z
    .strictObject({
      seconds: seconds.describe('seconds that the candidate should use; it reads them from `PERPETUA_BUDGET_SECONDS`'),
      kind: z
        .enum(['cpu', 'reference', 'wall'])
        .default('wall')
        .describe(
          '`cpu` for single-threaded CPU work, ' +
            '`reference` if the run weighs its CPU seconds by the speed of its core, `wall` for a GPU of its own',
        ),
      most: z.number().min(1).max(1000).optional().meta({
        description: 'limit of the CPU seconds, answers included, as a multiple of `seconds`; not with `wall`',
        otherwise: '1.5',
      }),
    })
    .meta({ description: 'the budget of a run', example: '{ seconds: 300, kind: wall }' }),
  timeoutSeconds: seconds.optional().meta({
    description:
      'limit of wall clock, without the time in which other processes keep the run from a CPU; ' +
      'with `kind: reference` at least 6 × budget',
    otherwise: '2 × budget + 30',
  }),
  graceSeconds: seconds
    .default(5)
    .describe('seconds from TERM to KILL, at most an hour; the other limits hold meanwhile'),
  env: z.record(environmentName, argument).default({}).describe('environment variables of the run'),
  path: z
    .array(hostFolder)
    .max(20)
    .default([])
    .describe(
      'folders of programs on the machine, such as `/home/me/venv/bin`: first on PATH, readable in the sandbox',
    ),
  readable: z
    .array(hostFolder)
    .max(20)
    .default([])
    .describe('further folders of the machine that runs may read in the sandbox, such as `/data`'),
  passEnv: z.array(environmentName).default([]).describe("names of variables that pass from the worker's environment"),
  artefacts: z.array(Artefact).default([]).describe('files that the run leaves behind'),
  resources: z
    .strictObject({
      pool: z
        .string()
        .min(1)
        .default('local')
        .describe('pool of slots: `local` is this machine, others are of the fleet (docs/guides/fleet.md)'),
      memoryMb: z
        .number()
        .int()
        .positive()
        .max(FIELD_MAXIMA.megabytes)
        .default(2048)
        .describe(
          'memory of the whole tree of processes, shared pages counted once (PyTorch with CUDA: 1.1 GB, ' +
            'and more for each loader); at most what a host of the fleet gives (docs/guides/fleet.md)',
        ),
      processes: z
        .number()
        .int()
        .positive()
        .max(FIELD_MAXIMA.processes)
        .default(64)
        .describe('processes at the same time'),
      outputMb: z
        .number()
        .positive()
        .max(FIELD_MAXIMA.heldMegabytes)
        .default(16)
        .describe('stdout and stderr together; of an answering program, its stderr'),
      diskMb: z
        .number()
        .int()
        .positive()
        .max(FIELD_MAXIMA.megabytes)
        .default(1024)
        .describe(
          'MiB that a run may add to its run directory and its temporary folder, beyond the workspace and its setup',
        ),
      files: z
        .number()
        .int()
        .positive()
        .max(FIELD_MAXIMA.files)
        .default(DEFAULT_FILES)
        .describe('files, folders and links that a run may add there (each hard link counts)'),
    })
    .prefault({}),
  sandbox: z
    .enum(['required', 'preferred', 'none'])
    .optional()
    .meta({
      description:
        '`required` if a model writes code, `preferred` if only knobs change; ' +
        '`required` allows no network (docs/guides/security.md)',
      otherwise: 'by proposer',
    }),
});

export type Run = z.infer<typeof Run>;
