import { z } from 'zod';
import { argument, hostFolder, LONGEST_STEP_SECONDS, FIELD_MAXIMA, relativePath, seconds } from './fields.ts';

const kind = <K extends string>(name: K) =>
  z
    .literal(name)
    .describe(
      'how a run is scored; `artefact` and `interactive` need a program in `evaluator.files`, `none` reads stdout',
    );

const command = z
  .string()
  .min(1)
  .describe(
    "the evaluator, passed to `sh -c`; if it is interactive, its stdin and stdout are the candidate's stdout and stdin",
  );

const evaluatorFiles = z
  .string()
  .min(1)
  .default('evaluator')
  .describe('folder of the evaluator, outside the workspace');

const draws = z
  .array(
    z.strictObject({
      path: relativePath.describe('an immutable file of the workspace'),
      command: argument
        .min(1)
        .describe(
          'command that prints the file, passed to `sh -c`; if it takes longer than `evaluator.timeoutSeconds`, ' +
            'the trial ends as `setup-failed`',
        ),
    }),
  )
  .optional()
  .describe('workspace files that are generated once for each installation; only with `artefact` and `interactive`');

const timeout = (most: number) =>
  seconds
    .max(LONGEST_STEP_SECONDS)
    .default(most)
    .describe(
      'time limit of the evaluator with its whole conversation; beyond it the trial ends as `evaluator-timeout`',
    );

/** Model calls of one scoring of an evaluator. */
export const EvaluatorLlm = z.strictObject({
  model: z
    .string()
    .min(1)
    .max(200)
    .exactOptional()
    .describe('name of the model, which the evaluator reads from `PERPETUA_MODEL`; its price is checked at the start'),
  calls: z.number().int().min(1).max(10_000).default(50).describe('limit of calls of one scoring'),
  tokens: z
    .number()
    .int()
    .min(1)
    .max(FIELD_MAXIMA.tokens)
    .default(1_000_000)
    .describe('limit of tokens, in and out, of all calls of one scoring'),
  usd: z
    .number()
    .positive()
    .max(FIELD_MAXIMA.usd)
    .exactOptional()
    .describe('limit of USD of one scoring; default: none'),
});

export type EvaluatorLlm = z.output<typeof EvaluatorLlm>;

/** Rights of the evaluator. None has a default, since the hash of a task's evaluator is older than these keys. */
const rights = {
  readable: z
    .array(hostFolder)
    .max(20)
    .optional()
    .describe('folders of the machine that the evaluator may read in its sandbox, such as `/data/labels`'),
  network: z
    .boolean()
    .optional()
    .meta({ description: 'true: the evaluator may use the network of its machine', otherwise: 'no network' }),
  gpu: z
    .boolean()
    .optional()
    .meta({ description: "true: the evaluator may use the GPUs of the worker's machine", otherwise: 'no GPU' }),
  llm: z
    .union([z.boolean(), EvaluatorLlm])
    .optional()
    .meta({
      description:
        'true, or limits of one scoring: the evaluator may ask models through the gateway, and only there ' +
        '(docs/guides/evaluators/models.md)',
      otherwise: 'no model',
    }),
  feedback: z
    .boolean()
    .optional()
    .meta({
      description:
        'true: proposers read the cases in the notes of the evaluator, except those that it marks `heldOut` ' +
        '(docs/guides/models/prompts.md)',
      otherwise: 'false',
    }),
  safeLoad: z
    .boolean()
    .optional()
    .meta({
      description:
        'true: the evaluator never executes an artefact, also not a pickle (`torch.load` with `weights_only=True`); ' +
        'otherwise a trial with an artefact that executes code when loaded is untrusted',
      otherwise: 'false',
    }),
};

/** The scorer of a task's runs. An `interactive` evaluator talks with the candidate's program over pipes. */
export const Evaluator = z.discriminatedUnion('type', [
  z.strictObject({ type: kind('none') }),
  z.strictObject({
    type: kind('artefact'),
    command,
    files: evaluatorFiles,
    ...rights,
    draws,
    heldOut: z
      .string()
      .min(1)
      .optional()
      .describe(
        'command that scores artefacts on data that no search sees; `perpetua best --held-out` runs it once for a ' +
          'candidate, as `evaluator.command` is run',
      ),
    timeoutSeconds: timeout(60),
  }),
  z.strictObject({
    type: kind('interactive'),
    command,
    files: evaluatorFiles,
    ...rights,
    draws,
    answer: argument
      .min(1)
      .describe(
        "the candidate's program that answers, passed to `sh -c` in the run directory, " +
          "in the sandbox on the trial's slot",
      ),
    timeoutSeconds: timeout(120),
    roundSeconds: seconds
      .max(LONGEST_STEP_SECONDS)
      .default(10)
      .describe('longest time without output of the candidate while the evaluator waits for its answer'),
    lineKb: z
      .number()
      .positive()
      .max(FIELD_MAXIMA.heldMegabytes * 1024)
      .default(1024)
      .describe('longest line of an answer'),
    totalMb: z.number().positive().max(FIELD_MAXIMA.heldMegabytes).default(64).describe('size of all answers together'),
    cpuSeconds: seconds.optional().meta({
      description: 'CPU seconds that `answer` may use (`cpu-time`), and at most what its run left of its budget',
      otherwise: 'no limit',
    }),
  }),
]);

/** Limits of the model calls of a task's evaluator, with defaults filled in; null: it may make none. */
export function evaluatorLlmOf(evaluator: z.output<typeof Evaluator>): EvaluatorLlm | null {
  const llm = evaluator.type === 'none' ? undefined : evaluator.llm;
  if (llm === undefined || llm === false) return null;
  return llm === true ? EvaluatorLlm.parse({}) : llm;
}
