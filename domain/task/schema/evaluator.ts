import { z } from 'zod';
import { argument, LONGEST_SECONDS, MOST, relativePath, seconds } from './fields.ts';

const evaluatorFiles = z
  .string()
  .min(1)
  .default('evaluator')
  .describe('folder of the evaluator, outside the workspace');

const draws = z
  .array(z.strictObject({ path: relativePath, command: argument.min(1) }))
  .optional()
  .describe(
    "files of the workspace that are drawn for each installation: what the command prints, beside the evaluator's files",
  );

/** The scorer of a task's runs. `interactive` asks the candidate's program over pipes. */
export const Evaluator = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({
    type: z.literal('artefact'),
    command: z.string().min(1),
    files: evaluatorFiles,
    draws,
    timeoutSeconds: seconds.max(LONGEST_SECONDS).default(60),
  }),
  z.strictObject({
    type: z.literal('interactive'),
    command: z.string().min(1).describe("the evaluator; its stdin and stdout are the candidate's stdout and stdin"),
    files: evaluatorFiles,
    draws,
    answer: argument.min(1).describe("the candidate's program that answers, run in the sandbox on the trial's slot"),
    timeoutSeconds: seconds.max(LONGEST_SECONDS).default(120),
    roundSeconds: seconds.max(LONGEST_SECONDS).default(10).describe('longest silence of the candidate'),
    lineKb: z
      .number()
      .positive()
      .max(MOST.heldMegabytes * 1024)
      .default(1024)
      .describe('longest line of an answer'),
    totalMb: z.number().positive().max(MOST.heldMegabytes).default(64),
    cpuSeconds: seconds.optional().describe('CPU seconds of the answering program; default: no limit'),
  }),
]);
